(() => {
  const root = document.documentElement, wide = [];
  const visible = e => e.checkVisibility ? e.checkVisibility() : true;
  for (const e of document.body.querySelectorAll("*"))
    if (!e.closest(".wide, pre, svg") && e.getBoundingClientRect().right > innerWidth + 1) wide.push(e.tagName + "#" + e.id);
  const channel = c => { c /= 255; return c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4; };
  const light = colour => {
    const [r, g, b] = colour.match(/[\d.]+/g).map(Number);
    return 0.2126 * channel(r) + 0.7152 * channel(g) + 0.0722 * channel(b);
  };
  const contrast = (a, b) => (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
  const ground = light(getComputedStyle(document.body).backgroundColor);
  const charts = [], undrawn = [], grounds = new Set([ground]), small = [], faint = [];
  for (const at of document.querySelectorAll(".chart")) {
    const svg = at.querySelector("svg");
    if (!svg || svg.querySelectorAll("path").length < 3) { undrawn.push(at.id); continue; }
    const box = svg.getBoundingClientRect(), column = Math.min(at.clientWidth, 1200), made = Number(svg.getAttribute("width"));
    charts.push({ name: at.id, over: box.right - at.getBoundingClientRect().right, share: box.width / column, scaled: box.width / made });
    grounds.add(light(getComputedStyle(svg).backgroundColor));
    for (const t of svg.querySelectorAll("text")) {
      const style = getComputedStyle(t), words = t.textContent;
      if (!words || Number(style.opacity) == 0) continue;
      if (parseFloat(style.fontSize) * box.width / made < 11.5) small.push(at.id + ": " + words);
      const inMap = at.id.includes("10-13") && t.closest(".mark-text.role-mark"), halo = style.stroke != "none";
      if (!inMap && !halo && contrast(light(style.fill), ground) < 3) faint.push(at.id + ": " + words);
    }
  }
  const words = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (words.nextNode()) {
    const e = words.currentNode.parentElement;
    if (!words.currentNode.data.trim() || e.closest("svg, script, style") || !visible(e)) continue;
    const style = getComputedStyle(e);
    if (parseFloat(style.fontSize) < 12) small.push(words.currentNode.data);
    const own = e.closest("#tip, button, pre");
    if (!own && contrast(light(style.color), ground) < 4.5) faint.push(words.currentNode.data);
  }
  // Of each logarithmic axis, how many of its labels are seen.
  const ticks = [...document.querySelectorAll("g.role-axis[aria-label*='log scale']")].map(axis => ({
    chart: axis.closest(".chart").id, axis: axis.getAttribute("aria-label").slice(0, 90),
    seen: [...axis.querySelectorAll(".role-axis-label text")].filter(t => t.textContent && getComputedStyle(t).opacity != 0).length,
  }));
  // Dots that lie wholly below a later one of another colour.
  const covered = [];
  for (const at of document.querySelectorAll(".chart")) {
    const dots = [...at.querySelectorAll("g.mark-symbol.role-mark path")].map(p => {
      const box = p.getBoundingClientRect(), style = getComputedStyle(p);
      return { x: box.x + box.width / 2, y: box.y + box.height / 2, r: box.width / 2, fill: style.fill, label: p.getAttribute("aria-label"),
               drawn: box.width > 0 && style.opacity != 0 && style.fillOpacity != 0 && !["none", "transparent"].includes(style.fill) };
    }).filter(d => d.drawn);
    const rest = getComputedStyle(root).getPropertyValue("--rest"), grey = light(rest.replace("#", "").match(/../g).map(h => parseInt(h, 16)).join());
    dots.forEach((d, i) => {
      if (Math.abs(light(d.fill) - grey) < 0.01) return;
      const over = dots.slice(i + 1).find(o => o.fill != d.fill && Math.hypot(o.x - d.x, o.y - d.y) + d.r <= o.r + 0.4);
      if (over) covered.push(at.id + ": " + d.label + " below " + over.label);
    });
  }
  const tables = [], silent = [];
  for (const w of document.querySelectorAll(".wide")) {
    if (!visible(w)) continue;
    const scrolls = w.scrollWidth > w.clientWidth + 1, heads = [...w.querySelector("tr").children];
    if (scrolls != getComputedStyle(w, "::before").content.includes("scroll")) silent.push(heads.map(h => h.textContent).join());
    tables.push({
      scrolls, judged: w.classList.contains("judged"), most: Math.max(...[...w.querySelectorAll("td")].map(c => c.getBoundingClientRect().right)), heads: heads.map(h => h.textContent), rights: heads.map(h => h.getBoundingClientRect().right),
      rows: [...w.querySelectorAll("tr")].map(r => r.getBoundingClientRect().height),
    });
  }
  return { overflow: root.scrollWidth - innerWidth, wide, charts, undrawn, small, faint, silent, tables, ticks, covered, ground, grounds: [...grounds] };
})()
