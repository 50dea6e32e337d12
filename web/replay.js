/* replay.js -- what an archived page gets so that it runs in its sandbox and stays in the archive.
 *
 * The sandbox has no origin: storage, cookies, indexedDB and workers from URLs throw there.  This gives pages
 * storage and cookies that live as long as the page, starts workers from blobs, drops credentials, and leads
 * URLs that scripts make at run time into the archive.  Nothing here is trusted by winnow's own pages. */
(function () {
  'use strict';
  var me = document.currentScript, stamp = me.dataset.stamp, prefix = me.dataset.prefix, page = me.dataset.url;
  var here = location.origin === 'null' ? new URL(location.href).origin : location.origin;
  function into(url, mod) {
    if (url === null || url === undefined) return url;
    var text = String(url).trim(), full;
    if (!text || /^(#|data:|blob:|javascript:|about:|mailto:)/i.test(text)) return url;
    if (text.startsWith(prefix)) return url;
    if (text.startsWith(here + prefix)) return text.slice(here.length);
    try {
      if (text.startsWith(here + '/')) text = text.slice(here.length); /* made from location: a path of the archived site */
      full = new URL(text, page);
    } catch (e) { return url; }
    if (full.protocol === 'ws:' || full.protocol === 'wss:' || !/^https?:$/.test(full.protocol)) return url;
    return prefix + stamp + mod + '/' + full.href;
  }
  function define(object, name, get, set) {
    try { Object.defineProperty(object, name, { configurable: true, enumerable: true, get: get, set: set }); } catch (e) { /* stays as it is */ }
  }
  /* storage and cookies in memory */
  function Memory() {
    var map = new Map();
    var api = {
      getItem: function (k) { k = String(k); return map.has(k) ? map.get(k) : null; },
      setItem: function (k, v) { map.set(String(k), String(v)); },
      removeItem: function (k) { map.delete(String(k)); },
      clear: function () { map.clear(); },
      key: function (i) { return Array.from(map.keys())[i] || null; }
    };
    return new Proxy(api, {
      get: function (t, k) { return k in t ? t[k] : k === 'length' ? map.size : typeof k === 'string' && map.has(k) ? map.get(k) : undefined; },
      set: function (t, k, v) { map.set(String(k), String(v)); return true; },
      deleteProperty: function (t, k) { map.delete(String(k)); return true; },
      has: function (t, k) { return k in t || map.has(String(k)); },
      ownKeys: function () { return Array.from(map.keys()); },
      getOwnPropertyDescriptor: function (t, k) { return map.has(k) ? { value: map.get(k), enumerable: true, configurable: true, writable: true } : undefined; }
    });
  }
  ['localStorage', 'sessionStorage'].forEach(function (name) {
    try { void window[name]; } catch (e) { var m = Memory(); define(window, name, function () { return m; }); }
  });
  try { void document.cookie; } catch (e) {
    var jar = new Map();
    define(document, 'cookie', function () {
      return Array.from(jar, function (pair) { return pair[0] ? pair[0] + '=' + pair[1] : pair[1]; }).join('; ');
    }, function (text) {
      var parts = String(text).split(';'), at = parts[0].indexOf('='), name = at < 0 ? '' : parts[0].slice(0, at).trim();
      var gone = parts.slice(1).some(function (p) {
        var m = /^\s*(expires|max-age)\s*=(.*)$/i.exec(p);
        return m && (m[1].toLowerCase() === 'max-age' ? Number(m[2]) <= 0 : Date.parse(m[2]) < Date.now());
      });
      if (gone) jar.delete(name); else jar.set(name, parts[0].slice(at + 1).trim());
    });
  }
  try { if (navigator.serviceWorker) define(navigator, 'serviceWorker', function () { return undefined; }); } catch (e) { define(navigator, 'serviceWorker', function () { return undefined; }); }
  /* requests */
  if (window.fetch) {
    var fetch0 = window.fetch;
    window.fetch = function (what, init) {
      init = Object.assign({}, init, { credentials: 'omit' });
      if (what instanceof Request) return fetch0.call(window, new Request(into(what.url, 'mp_'), what), init);
      return fetch0.call(window, into(what, 'mp_'), init);
    };
  }
  var open0 = XMLHttpRequest.prototype.open;
  XMLHttpRequest.prototype.open = function (method, url, async, user, password) {
    return open0.call(this, method, into(url, 'mp_'), async === undefined ? true : async, user, password);
  };
  define(XMLHttpRequest.prototype, 'withCredentials', function () { return false; }, function () {});
  if (navigator.sendBeacon) navigator.sendBeacon = function () { return true; };
  /* workers: fetched, then started from a blob */
  ['Worker', 'SharedWorker'].forEach(function (name) {
    var Real = window[name];
    if (!Real) return;
    window[name] = function (url, options) {
      var text = String(url);
      if (/^blob:|^data:/.test(text)) return new Real(url, options);
      var address = new URL(into(url, 'wkr_'), here).href, module = options && options.type === 'module';
      var code = module ? 'import ' + JSON.stringify(address) + ';' : 'importScripts(' + JSON.stringify(address) + ');';
      return new Real(URL.createObjectURL(new Blob([code], { type: 'text/javascript' })), options);
    };
    window[name].prototype = Real.prototype;
  });
  /* elements that scripts make */
  var refs = [['HTMLImageElement', 'src', 'im_'], ['HTMLScriptElement', 'src', 'js_'], ['HTMLLinkElement', 'href', 'cs_'], ['HTMLIFrameElement', 'src', 'if_'],
    ['HTMLAnchorElement', 'href', 'mp_'], ['HTMLAreaElement', 'href', 'mp_'], ['HTMLFormElement', 'action', 'mp_'], ['HTMLSourceElement', 'src', 'oe_'],
    ['HTMLMediaElement', 'src', 'oe_'], ['HTMLEmbedElement', 'src', 'oe_'], ['HTMLObjectElement', 'data', 'oe_'], ['HTMLTrackElement', 'src', 'oe_'], ['HTMLInputElement', 'src', 'im_']];
  refs.forEach(function (ref) {
    var type = window[ref[0]], d = type && Object.getOwnPropertyDescriptor(type.prototype, ref[1]);
    if (d && d.set) define(type.prototype, ref[1], d.get, function (v) { d.set.call(this, into(v, ref[2])); });
  });
  var set0 = Element.prototype.setAttribute;
  Element.prototype.setAttribute = function (name, value) {
    var n = String(name).toLowerCase(), self = this;
    refs.some(function (ref) {
      if (ref[1] !== n || !window[ref[0]] || !(self instanceof window[ref[0]])) return false;
      value = into(value, ref[2]);
      return true;
    });
    if (n === 'integrity') return;
    return set0.call(this, name, value);
  };
  function markup(html) {
    return String(html).replace(/(\s(?:src|href|action|data|poster|background)\s*=\s*)("[^"]*"|'[^']*'|[^\s>"']+)/gi, function (all, head, value) {
      var q = /^["']/.test(value) ? value[0] : '', url = q ? value.slice(1, -1) : value;
      return /^\s*(https?:)?\/\//i.test(url) ? head + (q || '"') + into(url, 'mp_') + (q || '"') : all;
    });
  }
  ['write', 'writeln'].forEach(function (name) {
    var real = document[name];
    document[name] = function () { return real.apply(document, Array.prototype.map.call(arguments, markup)); };
  });
  var inner = Object.getOwnPropertyDescriptor(Element.prototype, 'innerHTML');
  if (inner && inner.set) define(Element.prototype, 'innerHTML', inner.get, function (v) { inner.set.call(this, markup(v)); });
  ['pushState', 'replaceState'].forEach(function (name) {
    var real = history[name];
    history[name] = function (state, title, url) {
      try { return real.call(history, state, title, url === undefined || url === null ? url : into(url, 'mp_')); } catch (e) { /* an opaque origin may not */ }
    };
  });
  window.open = function () { return null; };
  me.remove();
})();
