// Keeps the page up to date: on an event, fetches the page again and updates the differences in place, so that focus,
// selection, scrolling and opened details stay.
"use strict";

(() => {
  const PAUSE = 1000; // milliseconds between two fetches
  const RETRY = 5000; // milliseconds before a lost connection is retried
  const main = document.getElementById("main");
  const live = document.getElementById("live");
  let source = null;
  let timer = 0;
  let last = 0;
  let busy = false;
  let again = false;

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
    if (busy) {
      again = true;
      return;
    }
    busy = true;
    try {
      const response = await fetch(location.href, { headers: { Accept: "text/html" }, cache: "no-store" });
      if (response.status !== 200 && response.status !== 404) throw new Error(response.statusText);
      const page = new DOMParser().parseFromString(await response.text(), "text/html");
      const wanted = page.getElementById("main");
      if (!wanted) throw new Error("no page");
      const focused = document.activeElement && document.activeElement.id;
      morph(main, document.adoptNode(wanted));
      if (document.title !== page.title) document.title = page.title;
      // An element that was moved has lost the focus.
      if (focused && document.activeElement === document.body) {
        const element = document.getElementById(focused);
        if (element) element.focus({ preventScroll: true });
      }
      say("Live", "live");
    } catch {
      say("The operator does not answer; retrying", "lost");
      again = true;
    } finally {
      busy = false;
      last = Date.now();
      if (again) {
        again = false;
        schedule(live.dataset.state === "lost" ? RETRY : PAUSE);
      }
    }
  };

  const schedule = (pause) => {
    if (timer) return;
    timer = setTimeout(() => {
      timer = 0;
      refresh();
    }, Math.max(0, pause - (Date.now() - last)));
  };

  const listen = () => {
    if (source) return;
    source = new EventSource(main.dataset.changes);
    source.addEventListener("open", () => say("Live", "live"));
    source.addEventListener("message", (event) => {
      if (event.data !== main.dataset.revision) schedule(PAUSE);
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

  // A browser has few connections, so a hidden page closes its own.
  document.addEventListener("visibilitychange", () => {
    if (document.hidden) close();
    else listen();
  });
  listen();
})();
