// Filters, keys and the theme. Without it the pages still read: details of a line then show at its link.
(function () {
  "use strict";
  var root = document.documentElement;
  root.classList.add("js");
  var all = function (query, from) { return Array.prototype.slice.call((from || document).querySelectorAll(query)); };
  function kept(value) {
    // A page that is opened as a file may have no store.
    try {
      if (value === undefined) return localStorage.getItem("bothways-theme");
      localStorage.setItem("bothways-theme", value);
    } catch (error) { /* the choice lasts for this page */ }
    return null;
  }
  var chosen = kept() || new URLSearchParams(location.search).get("theme");
  if (chosen === "dark" || chosen === "light") root.dataset.theme = chosen;
  function theme() {
    var dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    root.dataset.theme = dark ? "light" : "dark";
    kept(root.dataset.theme);
  }
  var code = document.querySelector(".code");
  var lines = code ? all(".l.g", code) : [];
  var rows = all(".row");
  var filter = "";
  var at = null;

  // What is known of a line's goals is one text until somebody wants to see it.
  function details(line) {
    var next = line.nextElementSibling;
    if (next && next.tagName === "NOSCRIPT") {
      var holder = document.createElement("div");
      holder.innerHTML = next.textContent;
      var own = holder.firstElementChild;
      titles(own);
      next.replaceWith(own);
      return own;
    }
    return next && next.classList.contains("d") ? next : null;
  }
  // The inputs of a test, at its links.
  function titles(part) {
    var inputs = window.bothwaysInputs || {};
    all("a.t", part).forEach(function (link) { link.title = inputs[link.textContent] || ""; });
  }
  function toggle(line) {
    var own = details(line);
    if (own) own.classList.toggle("open");
  }
  function go(line) {
    if (at) at.classList.remove("at");
    at = line;
    line.classList.add("at");
    line.scrollIntoView({ block: "center" });
  }
  function has(line, verdict) { return !verdict || line.classList.contains("h" + verdict); }
  function step(direction, verdict) {
    var list = code ? lines : rows.filter(function (row) { return !row.hidden; });
    var from = list.indexOf(at);
    if (at === null && code && location.hash) {
      var line = document.getElementById(location.hash.slice(1));
      from = list.findIndex(function (other) { return line && (line === other || (line.compareDocumentPosition(other) & 4)); });
      if (direction > 0) from -= 1;
    }
    for (var next = from + direction; next >= 0 && next < list.length; next += direction) {
      if (!code || has(list[next], verdict)) return go(list[next]);
    }
  }
  function show() {
    all("[data-filter]").forEach(function (button) { button.classList.toggle("on", button.dataset.filter === filter); });
    if (code) {
      document.body.dataset.show = filter;
      return;
    }
    var box = document.querySelector("[data-search]");
    var words = box ? box.value.toLowerCase() : "";
    rows.forEach(function (row) {
      var text = row.dataset.name === undefined ? (words && row.textContent.toLowerCase()) : row.dataset.name;
      var fits = filter === "" || row.dataset.state.split(" ").indexOf(filter) >= 0;
      row.hidden = !fits || (words !== "" && text.indexOf(words) < 0);
    });
    all(".list tbody").forEach(function (body) {
      var own = all(".row", body);
      if (own.length) body.hidden = own.every(function (row) { return row.hidden; });
    });
  }
  function choose(value) { filter = value; show(); }
  function everything() {
    var own = lines.map(details).filter(Boolean);
    var open = own.some(function (one) { return !one.classList.contains("open"); });
    own.forEach(function (one) { one.classList.toggle("open", open); });
  }
  function help() { var keys = document.getElementById("keys"); keys.hidden = !keys.hidden; }
  function perform(name) {
    if (name === "theme") theme();
    if (name === "help") help();
    if (name === "all") everything();
  }
  document.addEventListener("click", function (event) {
    var button = event.target.closest("button");
    if (button && button.dataset.do) return perform(button.dataset.do);
    if (button && button.dataset.filter !== undefined) return choose(button.dataset.filter);
    if (event.target.closest("#keys")) return help();
    if (event.target.closest("a")) return;
    var line = event.target.closest(".l.g");
    if (line && String(getSelection()) === "") { go(line); toggle(line); }
  });
  document.addEventListener("input", function (event) { if (event.target.matches("[data-search]")) show(); });
  document.addEventListener("keydown", function (event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.target.matches("input")) {
      if (event.key === "Escape") event.target.blur();
      return;
    }
    var letters = code ? { a: "", o: "o", i: "i", c: "c" } : { a: "", o: "open", i: "infeasible", c: "done" };
    var key = event.key;
    var box = document.querySelector("[data-search]");
    if (key === "j") step(1, filter);
    else if (key === "k") step(-1, filter);
    else if (key === "n") step(1, "o");
    else if (key === "p") step(-1, "o");
    else if (key === "Enter" && at && code) toggle(at);
    else if (key === "Enter" && at && at.querySelector("a")) at.querySelector("a").click();
    else if (key === "e" && code) everything();
    else if (key === "u") location.href = "index.html";
    else if (key === "t") theme();
    else if (key === "?") help();
    else if (key === "Escape") document.getElementById("keys").hidden = true;
    else if (key === "/" && box) box.focus();
    else if (letters[key] !== undefined && (document.querySelector('[data-filter="' + letters[key] + '"]'))) choose(letters[key]);
    else return;
    event.preventDefault();
  });
  function linked() {
    var line = location.hash && document.getElementById(location.hash.slice(1));
    var own = line && code && line.classList.contains("g") ? details(line) : null;
    if (own) own.classList.add("open");
  }
  // On paper stands what is open and what is infeasible.
  addEventListener("beforeprint", function () {
    lines.forEach(function (line) { if (has(line, "o") || has(line, "i")) details(line); });
  });
  addEventListener("hashchange", linked);
  linked();
  if (!code) titles(document);
  show();
})();
