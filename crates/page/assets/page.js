// Keeps the page up to date: on an event, fetches the page again and updates the differences in place, so that focus,
// selection, scrolling and opened details stay. A filter that is typed and an object that is selected change the address and
// are fetched in the same way.
"use strict";

(() => {
  const PAUSE = 1000; // milliseconds between two fetches
  const TYPING = 120; // milliseconds after a key before its filter is fetched
  const RETRY = 5000; // milliseconds before a lost connection is retried
  const main = document.getElementById("main");
  const live = document.getElementById("live");
  let source = null;
  let listened = "";
  let timer = 0;
  let due = 0;
  let last = 0;
  let busy = false;

  // Buttons that need scripts are shown.
  document.documentElement.classList.add("scripted");

  const say = (words, state) => {
    if (live.textContent !== words) live.textContent = words;
    live.dataset.state = state;
  };

  // Makes `from` like `to`. Elements are the same if their names and ids are.
  const alike = (from, to) =>
    from.nodeType === to.nodeType && from.nodeName === to.nodeName && (from.id || "") === (to.id || "");

  const morph = (from, to) => {
    if (from.nodeType !== Node.ELEMENT_NODE) {
      if (from.data !== to.data) from.data = to.data;
      return;
    }
    const kept = (name) => name === "open" && from.nodeName === "DETAILS";
    for (const { name } of [...from.attributes]) {
      if (!to.hasAttribute(name) && !kept(name)) from.removeAttribute(name);
    }
    for (const { name, value } of to.attributes) {
      if (from.getAttribute(name) !== value && !kept(name)) from.setAttribute(name, value);
    }
    let here = from.firstChild;
    for (const wanted of [...to.childNodes]) {
      let found = here && alike(here, wanted) ? here : null;
      if (!found && wanted.id) {
        found = [...from.childNodes].find((node) => alike(node, wanted)) || null;
        if (found) from.insertBefore(found, here);
      }
      if (found) {
        morph(found, wanted);
        here = found.nextSibling;
      } else {
        from.insertBefore(document.importNode(wanted, true), here);
      }
    }
    while (here) {
      const next = here.nextSibling;
      here.remove();
      here = next;
    }
  };

  const refresh = async () => {
    busy = true;
    let pause = 0;
    const address = location.pathname + location.search;
    try {
      const response = await fetch(address, { headers: { Accept: "text/html" }, cache: "no-store" });
      if (response.status !== 200 && response.status !== 404) throw new Error(response.statusText);
      const page = new DOMParser().parseFromString(await response.text(), "text/html");
      const wanted = page.getElementById("main");
      if (!wanted) throw new Error("no page");
      // Meanwhile the user went on.
      if (address !== location.pathname + location.search) return;
      const focused = document.activeElement && document.activeElement.id;
      morph(main, document.adoptNode(wanted));
      if (document.title !== page.title) document.title = page.title;
      // An element that was moved has lost the focus.
      if (focused && document.activeElement === document.body) {
        const element = document.getElementById(focused);
        if (element) element.focus({ preventScroll: true });
      }
      say("Live", "live");
      listen();
    } catch {
      say("The operator does not answer; retrying", "lost");
      pause = RETRY;
    } finally {
      busy = false;
      last = Date.now();
      if (pause) schedule(pause);
      else if (due) schedule(due - last);
    }
  };

  // Fetches after so many milliseconds, or earlier if that was asked for before.
  const schedule = (pause) => {
    const wanted = Date.now() + Math.max(0, pause);
    if (due && due <= wanted && (timer || busy)) return;
    due = wanted;
    if (busy) return;
    clearTimeout(timer);
    timer = setTimeout(() => {
      timer = 0;
      due = 0;
      refresh();
    }, wanted - Date.now());
  };

  const listen = () => {
    if (document.hidden || (source && listened === main.dataset.changes)) return;
    close();
    listened = main.dataset.changes;
    source = new EventSource(listened);
    source.addEventListener("open", () => say("Live", "live"));
    source.addEventListener("message", (event) => {
      if (event.data !== main.dataset.revision) schedule(PAUSE - (Date.now() - last));
    });
    source.addEventListener("error", () => {
      say("The operator does not answer; retrying", "lost");
      // A browser does not retry after an answer that is no stream, such as "too many clients".
      if (source && source.readyState === EventSource.CLOSED) {
        close();
        setTimeout(listen, RETRY);
        schedule(RETRY);
      }
    });
  };

  const close = () => {
    if (source) source.close();
    source = null;
  };

  const age = (since) => {
    const seconds = Math.max(0, Math.floor((Date.now() - since) / 1000));
    if (seconds < 120) return `${seconds}s`;
    if (seconds < 7200) return `${Math.floor(seconds / 60)}m`;
    if (seconds < 172800) return `${Math.floor(seconds / 3600)}h`;
    return `${Math.floor(seconds / 86400)}d`;
  };

  setInterval(() => {
    for (const time of main.querySelectorAll("time")) {
      const words = age(Date.parse(time.dateTime));
      if (time.textContent !== words) time.textContent = words;
    }
  }, 5000);

  // A filter is in the address while it is typed.
  const filter = () => document.getElementById("q");

  const typed = (form) => {
    const fields = [...new FormData(form)].filter(([, value]) => value.trim() !== "");
    const query = new URLSearchParams(fields).toString();
    history.replaceState(null, "", query ? `${location.pathname}?${query}` : location.pathname);
  };

  main.addEventListener("input", (event) => {
    const form = event.target.closest("form[data-filter]");
    if (!form) return;
    typed(form);
    schedule(TYPING);
  });

  main.addEventListener("submit", (event) => {
    const form = event.target.closest("form[data-filter]");
    if (!form) return;
    event.preventDefault();
    typed(form);
    schedule(0);
  });

  // Selects an object of the same tree without loading the page again.
  const select = async (address) => {
    history.pushState(null, "", address);
    due = 0;
    clearTimeout(timer);
    timer = 0;
    await refresh();
    // Where the panel is below the tree, the user is taken to it.
    const panel = document.getElementById("details");
    const heading = document.getElementById("selected");
    if (panel && heading && panel.getBoundingClientRect().top > innerHeight / 2) {
      panel.scrollIntoView();
      heading.focus({ preventScroll: true });
    }
  };

  const copied = (button, words) => {
    const before = button.dataset.words || button.textContent;
    button.dataset.words = before;
    button.textContent = words;
    setTimeout(() => {
      button.textContent = before;
    }, 2000);
  };

  const copy = async (button) => {
    const text = document.getElementById(button.dataset.copy);
    try {
      await navigator.clipboard.writeText(text.textContent);
      copied(button, "Copied");
    } catch {
      // A browser permits it to pages of this machine and of HTTPS only.
      getSelection().selectAllChildren(text);
      copied(button, "Press Ctrl-C");
    }
  };

  main.addEventListener("click", (event) => {
    if (event.defaultPrevented || event.button || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    const button = event.target.closest("[data-copy]");
    if (button) {
      copy(button);
      return;
    }
    const link = event.target.closest("a[data-node]");
    if (!link) return;
    event.preventDefault();
    const address = new URL(link.href);
    // Links outside the tree do not have the filter.
    select(address.pathname + (address.search || location.search));
  });

  addEventListener("popstate", () => {
    const input = filter();
    if (input) input.value = new URLSearchParams(location.search).get("q") || "";
    schedule(0);
  });

  // The boxes of the tree that can be reached from one with an arrow key.
  const neighbour = (box, key) => {
    const boxes = [...main.querySelectorAll(".tree .box")];
    const at = boxes.indexOf(box);
    const item = box.parentElement;
    const owner = (item.matches(".branch") ? item.parentElement : item).closest(".branch");
    switch (key) {
      case "ArrowDown": return boxes[at + 1];
      case "ArrowUp": return boxes[at - 1];
      case "ArrowRight": return item.querySelector(":scope > .below .box");
      case "ArrowLeft": return owner && owner.querySelector(".box");
      case "Home": return boxes[0];
      case "End": return boxes[boxes.length - 1];
      default: return null;
    }
  };

  document.addEventListener("keydown", (event) => {
    if (event.metaKey || event.ctrlKey || event.altKey) return;
    const inside = document.activeElement;
    const writing = inside && inside.matches("input, textarea, select");
    if (event.key === "/" && !writing && filter()) {
      event.preventDefault();
      filter().focus();
      filter().select();
    } else if (event.key === "Escape" && inside && inside === filter()) {
      event.preventDefault();
      filter().value = "";
      typed(filter().form);
      schedule(0);
    } else if (inside && inside.matches(".tree .box")) {
      const next = neighbour(inside, event.key);
      if (next) {
        event.preventDefault();
        next.focus();
      }
    }
  });

  // A browser has few connections, so a hidden page closes its own.
  document.addEventListener("visibilitychange", () => {
    if (document.hidden) close();
    else listen();
  });
  listen();
})();
