/* replay.js -- what an archived page gets so that it runs in its sandbox and stays in the archive.
 *
 * The sandbox has no origin: storage, cookies, indexedDB and workers from URLs throw there.  This gives pages
 * storage and cookies that live as long as the page, starts workers from blobs, drops credentials, shows them
 * location as it was, and leads URLs that scripts make at run time into the archive.  Nothing here is trusted by winnow's own pages. */
(function () {
  'use strict';
  var me = document.currentScript, stamp = me.dataset.stamp, prefix = me.dataset.prefix, page = me.dataset.url;
  var here = location.origin === 'null' ? new URL(location.href).origin : location.origin;
  /* What pages and workers share.  A worker gets it as text, so it names nothing from outside. */
  function common(self, stamp, prefix, page, here) {
    function into(url, mod, base) {
      if (url === null || url === undefined) return url;
      var text = String(url).trim(), full;
      if (!text || /^(#|data:|blob:|javascript:|about:|mailto:)/i.test(text)) return url;
      if (text.startsWith(prefix)) return url;
      if (text.startsWith(here + prefix)) return text.slice(here.length);
      try {
        if (text.startsWith(here + '/')) text = text.slice(here.length); /* made from location: a path of the archived site */
        full = new URL(text, base || page);
      } catch (e) { return url; }
      if (!/^https?:$/.test(full.protocol)) return url;
      return prefix + stamp + mod + '/' + full.href;
    }
    function at(url, mod) { /* absolute: a worker's own address is a blob's, from which no path leads anywhere */
      var to = into(url, mod);
      return typeof to === 'string' && to.startsWith(prefix) ? here + to : to;
    }
    if (self.fetch) {
      var fetch0 = self.fetch;
      self.fetch = function (what, init) {
        init = Object.assign({}, init, { credentials: 'omit' });
        if (what instanceof Request) return fetch0.call(self, new Request(at(what.url, 'mp_'), what), init);
        return fetch0.call(self, at(what, 'mp_'), init);
      };
    }
    if (self.XMLHttpRequest) {
      var open0 = XMLHttpRequest.prototype.open;
      XMLHttpRequest.prototype.open = function (method, url, async, user, password) {
        return open0.call(this, method, at(url, 'mp_'), async === undefined ? true : async, user, password);
      };
      try { Object.defineProperty(XMLHttpRequest.prototype, 'withCredentials', { configurable: true, enumerable: true, get: function () { return false; }, set: function () {} }); } catch (e) { /* stays as it is */ }
    }
    if (self.EventSource) {
      var Source = self.EventSource;
      self.EventSource = function (url) { return new Source(at(url, 'mp_')); };
      self.EventSource.prototype = Source.prototype;
    }
    if (self.importScripts) {
      var import0 = self.importScripts;
      self.importScripts = function () { return import0.apply(self, Array.prototype.map.call(arguments, function (u) { return at(u, 'wkr_'); })); };
    }
    /* workers: started from a blob or data: that sets them up and then takes their script in */
    ['Worker', 'SharedWorker'].forEach(function (name) {
      var Real = self[name];
      if (!Real) return;
      self[name] = function (url, options) {
        if (/^(blob|data):/.test(String(url))) return new Real(url, options);
        var address = JSON.stringify(at(url, 'wkr_')), data = 'data:text/javascript,';
        var setup = '(' + common + ')(self,' + [stamp, prefix, new URL(String(url), page).href, here].map(function (t) { return JSON.stringify(t); }) + ');';
        /* without an origin Chromium starts no module from a blob, but from data: */
        return new Real(options && options.type === 'module'
          ? data + encodeURIComponent('import ' + JSON.stringify(data + encodeURIComponent(setup)) + ';import ' + address + ';')
          : URL.createObjectURL(new Blob([setup + 'importScripts(' + address + ');'], { type: 'text/javascript' })), options);
      };
      self[name].prototype = Real.prototype;
    });
    /* location, as the archived page had it; see src/serve/rewrite_js.c for what calls these */
    function now() {
      var m = self.location.href.startsWith(here + prefix) && /^\d{0,14}(?:[a-z]+_)?\/(.*)$/.exec(self.location.href.slice((here + prefix).length));
      try { return new URL(m ? m[1] : page); } catch (e) { return new URL(page); }
    }
    function go(url) { self.location.href = at(url, 'mp_'); }
    var place = {
      assign: go,
      replace: function (url) { self.location.replace(at(url, 'mp_')); },
      reload: function () { self.location.reload(); },
      toString: function () { return now().href; },
      valueOf: function () { return place; }
    };
    ['href', 'protocol', 'host', 'hostname', 'port', 'pathname', 'search', 'hash', 'origin'].forEach(function (part) {
      Object.defineProperty(place, part, {
        enumerable: true,
        get: function () { return now()[part]; },
        set: function (value) {
          var to = now();
          if (part === 'hash') { self.location.hash = value; return; }
          if (part === 'href') { go(value); return; }
          try { to[part] = value; go(to.href); } catch (e) { /* origin cannot be set */ }
        }
      });
    });
    Object.defineProperty(place, 'ancestorOrigins', { get: function () { return []; } });
    function of(what) { return { get location() { return place; }, set location(url) { what(String(url)); } }; }
    var own = of(go);
    /* a window around the page: it is seen as the page itself, so that a page which wants to be at the top believes it is */
    var around = of(function (url) { if (new URL(url, page).href.split('#')[0] !== now().href.split('#')[0]) go(url); });
    var winnow = {
      into: into,
      loc: function (x) { return x === self.location ? place : x; },
      of: function (x) {
        if (x === self || (self.document && x === self.document)) return own;
        if (self.window && (x === self.top || x === self.parent)) return around;
        return x;
      },
      imp: function (base, what, options) {
        var text = String(what);
        return /^(\.{0,2}\/|https?:)/.test(text) ? import(here + into(text, 'esm_', base)) : import(text, options);
      }
    };
    Object.defineProperty(self, '__winnow', { value: winnow, configurable: true });
    return winnow;
  }
  var winnow = common(window, stamp, prefix, page, here), into = winnow.into;
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
  if (navigator.sendBeacon) navigator.sendBeacon = function () { return true; };
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
  /* Markup that scripts write: addresses that would leave the archive.  Relative ones stay in it by themselves. */
  var mods = { img: 'im_', script: 'js_', iframe: 'if_', frame: 'fr_', link: 'cs_', video: 'oe_', audio: 'oe_', source: 'oe_', embed: 'oe_', object: 'oe_', input: 'im_' };
  function markup(html) {
    return String(html).replace(/<([a-z][a-z0-9]*)((?:\s+|\/)(?:[^"'>]|"[^"]*"|'[^']*')*)/gi, function (tag, name, attributes) {
      return '<' + name + attributes.replace(/(^|[\s"'\/])((?:src|href|action|data|poster|background)\s*=\s*)("[^"]*"|'[^']*'|[^\s>"']+)/gi, function (all, before, head, value) {
        var q = /^["']/.test(value) ? value[0] : '', url = q ? value.slice(1, -1) : value;
        return /^\s*(https?:\/\/|\/)/i.test(url) ? before + head + (q || '"') + into(url, mods[name.toLowerCase()] || 'mp_') + (q || '"') : all;
      });
    });
  }
  ['write', 'writeln'].forEach(function (name) {
    var real = document[name];
    document[name] = function () { return real.apply(document, Array.prototype.map.call(arguments, markup)); };
  });
  var inner = Object.getOwnPropertyDescriptor(Element.prototype, 'innerHTML');
  if (inner && inner.set) define(Element.prototype, 'innerHTML', inner.get, function (v) { inner.set.call(this, markup(v)); });
  var adjacent = Element.prototype.insertAdjacentHTML;
  Element.prototype.insertAdjacentHTML = function (where, html) { return adjacent.call(this, where, markup(html)); };
  /* frames that scripts make have no script of ours, but scripts that are put into them call it */
  function same(x) { return x; }
  ['contentWindow', 'contentDocument'].forEach(function (name) {
    var d = Object.getOwnPropertyDescriptor(HTMLIFrameElement.prototype, name);
    if (d) define(HTMLIFrameElement.prototype, name, function () {
      var got = d.get.call(this), win = name === 'contentWindow' ? got : got && got.defaultView;
      try { if (win && !win.__winnow) win.__winnow = { loc: same, of: same, imp: winnow.imp }; } catch (e) { /* of another origin */ }
      return got;
    });
  });
  ['pushState', 'replaceState'].forEach(function (name) {
    var real = history[name];
    history[name] = function (state, title, url) {
      try { return real.call(history, state, title, url === undefined || url === null ? url : into(url, 'mp_')); } catch (e) { /* an opaque origin may not */ }
    };
  });
  window.open = function () { return null; };
  /* the page's own window is no one's origin here */
  var post = window.postMessage;
  window.postMessage = function (message, to, transfer) {
    return typeof to === 'string' ? post.call(window, message, /^https?:/.test(to) ? '*' : to, transfer) : post.apply(window, arguments);
  };
  me.remove();
})();
