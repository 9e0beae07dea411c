// Draws each chart as wide as its column, again when that changes. `charts`: pairs of an element's id and a specification.
// A chart with usermeta consists of panels, as many beside each other as fit.
const NARROW = 600, MOST = 1200, SPACE = 20;

// Of the names in a legend, the longest.
function longest(node) {
  if (!node || typeof node != "object") return 0;
  const domain = node.color?.scale?.domain;
  const own = node.color?.legend && Array.isArray(domain) ? (node.color.legend.values ?? domain).map(n => String(n).length) : [];
  return Math.max(0, ...own, ...Object.values(node).map(longest));
}

function fitted(spec, column) {
  const made = structuredClone(spec), many = made.usermeta?.columns;
  const columns = many ? Math.max(1, Math.min(many, Math.floor((column - 40) / (made.usermeta.least + SPACE)))) : 1;
  const width = Math.max(60, Math.floor((column - 60) / columns - (many ? SPACE : 0)));
  if (many) made.columns = columns;
  (many ? made.spec : made).width = width;
  made.config.axisY = { labelLimit: column < NARROW ? column * 0.46 : 260 };
  made.config.legend.columns = Math.max(1, Math.floor((column - 50) / (longest({ ...spec, data: 0 }) * 7 + 36)));
  made.config.legend.labelLimit = Math.min(260, column - 40);
  return { made, columns, width, signal: many ? "child_width" : "width" };
}

async function draw(id, spec) {
  const at = document.getElementById(id), column = Math.min(at.clientWidth, MOST);
  at.dataset.column = column;
  if (!column) return;  // in a part of the page that is folded
  let { made, columns, width, signal } = fitted(spec, column);
  const { view } = await vegaEmbed(at, made, { actions: false, renderer: "svg" });
  for (let turn = 0; turn < 3; ++turn) {  // the width of axes and names is known only once they are drawn
    const over = Number(at.querySelector("svg").getAttribute("width")) - column;
    if (over <= 0 && over > -2 * columns - 2) break;
    width -= (over + 1) / columns;
    await view.signal(signal, width).resize().runAsync();
  }
}

const all = () => Promise.all(charts.map(([id, spec]) => draw(id, spec)));
window.drawn = all();  // for programs that inspect the page

function mark() {
  for (const w of document.querySelectorAll(".wide")) w.classList.toggle("scrolls", w.scrollWidth > w.clientWidth + 1);
}
let soon;
addEventListener("resize", () => {
  mark();
  clearTimeout(soon);
  soon = setTimeout(() => {
    const width = id => Math.min(document.getElementById(id).clientWidth, MOST);
    if (charts.some(([id]) => width(id) != document.getElementById(id).dataset.column)) window.drawn = all();
  }, 150);
});
document.addEventListener("toggle", mark, true);
mark();
