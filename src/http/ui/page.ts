import { productName, productTitle } from '../../model/names.ts'

/** The only page of the built-in interface. What it shows is put in by `script.ts`; nothing runs or is styled from within it. */
export const page = `<!doctype html>
<html lang="en" data-product="${productTitle}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${productTitle}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/ui/app.css">
<script src="/ui/app.js" defer></script>
</head>
<body>
<a class="skip" href="#main" id="skip">Skip to content</a>
<header>
<p class="name">${productTitle}</p>
<nav aria-label="Views">
<a href="#/services" data-view="services">Services</a>
<a href="#/nodes" data-view="nodes">Nodes</a>
<a href="#/keys/" data-view="keys">Keys</a>
</nav>
<form id="settings" aria-label="Settings">
<label>Datacenter <select id="datacenter"></select></label>
<label>Token <input id="token" type="password" autocomplete="off" spellcheck="false"></label>
<label>Filter <input id="filter" type="search" autocomplete="off" spellcheck="false"></label>
</form>
</header>
<main id="main" tabindex="-1">
<h1 id="title" tabindex="-1">${productTitle}</h1>
<p id="problem" role="alert"></p>
<p id="status" role="status"></p>
<div id="content"></div>
<noscript><p>This page needs JavaScript. The same is told by <code>${productName} catalog</code> and the HTTP API.</p></noscript>
</main>
</body>
</html>
`
