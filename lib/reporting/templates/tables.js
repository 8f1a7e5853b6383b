"use strict";
// Tables that sort by a click on a column's name (or Enter), and show the rows that have all words that are typed.
(() => {
  // 2,970 or "1.97 → 2 ✓": the number that is ours, the one behind the arrow
  const numberOf = text => {
    const found = text.split("→").pop().replace(/(\d),(?=\d{3})/g, "$1").match(/-?\d+(\.\d+)?(e[+-]?\d+)?/i);
    return found ? Number(found[0]) : NaN;
  };
  const compare = (left, right) => {
    const a = numberOf(left), b = numberOf(right);
    if (!Number.isNaN(a) && !Number.isNaN(b) && a !== b) return a - b;
    if (Number.isNaN(a) !== Number.isNaN(b)) return Number.isNaN(a) ? 1 : -1;
    return left.localeCompare(right);
  };
  const textOf = (row, column) => row.cells[column] ? row.cells[column].textContent.trim() : "";
  const sort = (table, head) => {
    const column = head.cellIndex, body = table.tBodies[0];
    const way = head.getAttribute("aria-sort") === "ascending" ? -1 : 1;
    for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
    head.setAttribute("aria-sort", way === 1 ? "ascending" : "descending");
    const rows = [...body.rows].map((row, place) => [textOf(row, column), place, row]);
    rows.sort(([a, i], [b, j]) => way * compare(a, b) || i - j);
    for (const [, , row] of rows) body.append(row);
  };
  const filter = (table, words) => {
    for (const row of table.tBodies[0].rows) {
      const text = row.textContent.toLowerCase();
      row.hidden = !words.every(word => text.includes(word));
    }
  };
  for (const table of document.querySelectorAll("table")) {
    for (const head of table.tHead.rows[0].cells) {
      head.tabIndex = 0;
      head.title = "sort";
      head.addEventListener("click", () => sort(table, head));
      head.addEventListener("keydown", event => { if (event.key === "Enter") sort(table, head); });
    }
    if (table.tBodies[0].rows.length > 7) {
      const field = document.createElement("input");
      field.type = "search";
      field.className = "find";
      field.placeholder = "show rows with …";
      field.setAttribute("aria-label", "show rows with these words");
      field.addEventListener("input", () => filter(table, field.value.toLowerCase().split(/\s+/).filter(Boolean)));
      table.parentElement.before(field);
    }
  }
  // a link into a folded part opens it
  const open = () => {
    const target = location.hash.length > 1 && document.getElementById(decodeURIComponent(location.hash.slice(1)));
    for (let part = target; part; part = part.parentElement) if (part.tagName === "DETAILS") part.open = true;
    if (target) target.scrollIntoView();
  };
  window.addEventListener("hashchange", open);
  open();
})();
