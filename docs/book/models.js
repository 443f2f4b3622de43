// Names of files above the blocks that are these files, and the words of the language in models.

const KEYWORDS = /\b(model|planar|coordinates|gravity|param|const|input|state|let|body|flexible|joint|marker|force|torque|constraint|drive|contact|initial|output|provide|for|in|at|on|from|as|if|else|pub|rotated|axis|about)\b/g;

for (const code of document.querySelectorAll("pre > code")) {
    const info = [...code.classList].find((name) => name.startsWith("language-"))?.slice("language-".length);
    const name = [...code.classList].find((name) => name.startsWith("file="))?.slice("file=".length);
    if (name) {
        const label = document.createElement("span");
        label.className = "file";
        label.textContent = name;
        code.parentElement.before(label);
    }
    if (info === "model") {
        const escaped = code.textContent.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;");
        code.innerHTML = escaped
            .split("\n")
            .map((line) => {
                const at = line.indexOf("//");
                const [text, comment] = at < 0 ? [line, ""] : [line.slice(0, at), line.slice(at)];
                const colored = text
                    .replace(KEYWORDS, '<span class="model-keyword">$1</span>')
                    .replace(/(?<![\w.">-])(\d+(?:\.\d+)?(?:e-?\d+)?)/g, '<span class="model-number">$1</span>');
                return comment ? `${colored}<span class="model-comment">${comment}</span>` : colored;
            })
            .join("\n");
    }
}
