/**
 * The script for the browser, as it is sent. It uses only the API of the agent that sent it. Data from there are
 * inserted as text (`textContent`) or, encoded, after `#/` of a link, and never as markup.
 *
 * It is one text, because the browser gets one file, and hence longer than other files.
 *
 * One view is open at a time; it repeats a blocking query until another view is opened, which aborts it.
 */
export const script = String.raw`'use strict'
const product = document.documentElement.dataset.product
const at = (id) => document.getElementById(id)
/** More rows than this are counted, not shown. */
const rowsMax = 1000
/** Between two questions, however soon an answer comes; and after a failure. */
const pauseMs = 1000
const retryMs = 5000

let view = 0
let asking = new AbortController()
let shown = ''
let last

function el(name, attributes, ...children) {
  const made = document.createElement(name)
  for (const key of Object.keys(attributes)) made.setAttribute(key, attributes[key])
  // append() takes strings as text, never as markup.
  for (const child of children) made.append(typeof child === 'object' ? child : String(child))
  return made
}
const link = (text, ...parts) => el('a', { href: '#/' + parts.map(encodeURIComponent).join('/') }, text)
const byText = (a, b) => (a < b ? -1 : a > b ? 1 : 0)
const listed = (value) => (Array.isArray(value) ? value : [])

async function ask(path, query, signal) {
  const headers = {}
  const token = at('token').value
  if (token !== '') headers['X-' + product + '-Token'] = token
  const parameters = new URLSearchParams(query)
  if (at('datacenter').value !== '') parameters.set('dc', at('datacenter').value)
  // A key that the server would clean (a//b) must not become another one.
  const answer = await fetch(path + '?' + parameters, { headers, signal, redirect: 'error', cache: 'no-store' })
  const text = await answer.text()
  if (!answer.ok && !(answer.status === 404 && text === '')) {
    const said = new Error(text || 'The agent answered ' + answer.status)
    throw Object.assign(said, { refused: answer.status === 403 && (token === '' ? 'no token' : /not found/i.test(text) ? 'unknown token' : 'no rights') })
  }
  return { value: answer.ok ? JSON.parse(text) : undefined, index: answer.headers.get('X-' + product + '-Index') }
}

function pause(ms, signal) {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms)
    signal.addEventListener('abort', () => { clearTimeout(timer); resolve() })
  })
}

/** Asks until another view is opened. */
async function follow(mine, path, query, show, signal) {
  let index = '0'
  while (mine === view) {
    try {
      const answer = await ask(path, index === '0' ? query : { ...query, index, wait: '60s' }, signal)
      if (mine !== view) return
      // One that went back or is not there: begin anew, without waiting for what may never come.
      const next = answer.index ?? '0'
      index = Number(next) < Number(index) ? '0' : next
      at('problem').textContent = ''
      last = () => show(answer.value)
      const text = String(JSON.stringify(answer.value))
      if (text !== shown) { shown = text; last() }
      await pause(index === '0' ? retryMs : pauseMs, signal)
    } catch (cause) {
      if (mine !== view) return
      // Asked again and again, nothing would change until there is another token, and that opens the view anew.
      if (cause.refused) return showRefusal(cause.refused)
      at('problem').textContent = (last === undefined ? 'The agent cannot answer: ' : 'Not up to date: ') + cause.message
      if (last === undefined) put('')
      index = '0'
      await pause(retryMs, signal)
    }
  }
}

const refusals = {
  'no token': 'This view needs a token that may read it.',
  'unknown token': 'The token is not known here: it is mistyped, deleted, or of another datacenter.',
  'no rights': 'The token may not read this view.',
}

/** Removes data that were shown with other rights. The button leads to the form for a token. */
function showRefusal(why) {
  last = undefined
  shown = ''
  at('problem').textContent = refusals[why]
  const enter = el('button', { type: 'button' }, why === 'no token' ? 'Enter a token' : 'Enter another token')
  enter.addEventListener('click', () => at('token').focus())
  put('', el('p', {}, enter))
}

/** Puts new content in; where the old one had the focus, the same link of the new has it. */
function put(status, ...nodes) {
  const content = at('content')
  const focused = content.contains(document.activeElement) ? document.activeElement.getAttribute('href') : null
  content.replaceChildren(...nodes)
  if (at('status').textContent !== status) at('status').textContent = status
  if (focused === null) return
  const again = [...content.querySelectorAll('a')].find((each) => each.getAttribute('href') === focused)
  if (again !== undefined) again.focus()
}

function table(caption, heads, rows) {
  const head = el('tr', {}, ...heads.map((text) => el('th', { scope: 'col' }, text)))
  const body = rows.slice(0, rowsMax).map(([first, ...cells]) =>
    el('tr', {}, el('th', { scope: 'row' }, first), ...cells.map((cell) => el('td', {}, cell))))
  const whole = el('table', {}, el('caption', {}, caption), el('thead', {}, head), el('tbody', {}, ...body))
  return el('div', { class: 'scroll' }, whole)
}

function filtered(rows, textOf) {
  const wanted = at('filter').value.toLowerCase()
  return wanted === '' ? rows : rows.filter((row) => textOf(row).toLowerCase().includes(wanted))
}
/** Without a token, an agent with access control shows what the anonymous token may read, which is often nothing. */
function counted(rows, all, one, many) {
  if (all.length === 0) return 'No ' + many + (at('token').value === '' ? ', or none that may be read without a token.' : ', or none that the token may read.')
  const some = rows.length === all.length ? '' : rows.length + ' of '
  return some + all.length + ' ' + (all.length === 1 ? one : many) + (rows.length > rowsMax ? ', the first ' + rowsMax + ' shown' : '')
}

const signs = { passing: '✓', warning: '!', critical: '✕' }
function health(status, count) {
  const text = count === undefined ? status : count + ' ' + status
  return el('span', { class: status in signs ? status : '' }, (signs[status] ?? '?') + ' ' + text)
}
function healthOf(counts) {
  const told = ['critical', 'warning', 'passing'].filter((status) => counts[status] > 0)
  if (told.length === 0) return 'no checks'
  return el('span', {}, ...told.flatMap((status, i) => [i === 0 ? '' : ', ', health(status, counts[status])]))
}
function countsOf(checks) {
  const counts = {}
  for (const { Status } of listed(checks)) counts[Status] = (counts[Status] ?? 0) + 1
  return counts
}
const checksTable = (checks) =>
  table('Checks', ['Check', 'Status', 'Service', 'Output'], listed(checks).map((check) => [
    check.Name || check.CheckID, health(check.Status), check.ServiceName || 'the node', el('pre', {}, check.Output)]))
const addressOf = (host, port) => (port > 0 ? (host.includes(':') ? '[' + host + ']' : host) + ':' + port : host)

function showServices(services) {
  const all = listed(services)
  const rows = filtered(all, ({ Name }) => Name)
  put(counted(rows, all, 'service', 'services'), table('Services', ['Service', 'Health', 'Nodes'], rows.map((each) => [
    link(each.Name, 'services', each.Name),
    healthOf({ passing: each.ChecksPassing, warning: each.ChecksWarning, critical: each.ChecksCritical }),
    listed(each.Nodes).length])))
}

function showService(name, instances) {
  const all = listed(instances)
  if (all.length === 0) return put('Service ' + name + ' is not found' + (at('token').value === '' ? ', or may not be read without a token.' : ', or the token may not read it.'))
  const rows = filtered(all, ({ Node, Service }) => Node.Node + ' ' + Service.ID)
  put(counted(rows, all, 'instance', 'instances'), table('Instances', ['ID', 'Node', 'Address', 'Health', 'Tags'], rows.map((each) => [
    each.Service.ID,
    link(each.Node.Node, 'nodes', each.Node.Node),
    addressOf(each.Service.Address || each.Node.Address, each.Service.Port),
    healthOf(countsOf(each.Checks)),
    listed(each.Service.Tags).join(', ')])),
  checksTable(rows.flatMap(({ Checks }) => listed(Checks))))
}

function showNodes(nodes) {
  const all = listed(nodes)
  const rows = filtered(all, ({ Node, Address }) => Node + ' ' + Address)
  put(counted(rows, all, 'node', 'nodes'), table('Nodes', ['Node', 'Address', 'Health', 'Services'], rows.map((each) => [
    link(each.Node, 'nodes', each.Node), each.Address, healthOf(countsOf(each.Checks)), listed(each.Services).length])))
}

function showNode(node) {
  if (node === undefined) return put('There is no such node.')
  const services = listed(node.Services)
  put(node.Address, table('Services', ['Service', 'ID', 'Port', 'Tags'], services.map((each) => [
    link(each.Service, 'services', each.Service), each.ID, each.Port, listed(each.Tags).join(', ')])),
  checksTable(node.Checks))
}

function showKeys(prefix, keys) {
  // The folder itself may also be a key.
  const all = listed(keys)
  const rows = filtered(all, (key) => key.slice(prefix.length))
  const up = prefix.slice(0, prefix.lastIndexOf('/', prefix.length - 2) + 1)
  const above = prefix === '' ? [] : [el('p', {}, link('Up to ' + (up || 'the top'), 'keys', up))]
  put(counted(rows, all, 'key or folder', 'keys and folders'), ...above, table('Keys', ['Key', 'Kind'], rows.map((key) =>
    key.endsWith('/') && key !== prefix
      ? [link(key.slice(prefix.length), 'keys', key), 'folder']
      : [link(key.slice(prefix.length) || key, 'key', key), 'key'])))
}

function textOf(base64) {
  const bytes = Uint8Array.from(atob(base64 ?? ''), (char) => char.charCodeAt(0))
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return undefined
  }
}

function showKey(name, entries) {
  const folder = name.slice(0, name.lastIndexOf('/', name.length - 2) + 1)
  const up = el('p', {}, link('Up to ' + (folder || 'the top'), 'keys', folder))
  const entry = listed(entries)[0]
  if (entry === undefined) return put('There is no such key.', up)
  const text = textOf(entry.Value)
  const facts = [['Flags', entry.Flags], ['Created at index', entry.CreateIndex], ['Changed at index', entry.ModifyIndex],
    ['Session', entry.Session ?? 'none']]
  put(text === undefined ? 'The value is not text: it is shown in base64.' : '', up,
    el('h2', {}, 'Value'), el('pre', { tabindex: '0' }, text ?? entry.Value), table('Facts', ['Fact', 'Value'], facts))
}

/** A key's slashes stay, so that the path can be read in the agent's log. */
const pathOf = (key) => key.split('/').map(encodeURIComponent).join('/')

/** The plan of each view: its title, path, query, and the function that renders the answer. */
function planOf([kind, name = '']) {
  if (kind === 'services' && name !== '')
    return ['Service ' + name, '/v1/health/service/' + encodeURIComponent(name), {}, (instances) => showService(name, instances)]
  if (kind === 'nodes' && name !== '')
    return ['Node ' + name, '/v1/internal/ui/node/' + encodeURIComponent(name), {}, showNode]
  if (kind === 'nodes') return ['Nodes', '/v1/internal/ui/nodes', {}, showNodes]
  if (kind === 'keys')
    return ['Keys ' + name, '/v1/kv/' + pathOf(name), { keys: '', separator: '/' }, (keys) => showKeys(name, keys)]
  if (kind === 'key') return ['Key ' + name, '/v1/kv/' + pathOf(name), {}, (entries) => showKey(name, entries)]
  return ['Services', '/v1/internal/ui/services', {}, showServices]
}

function placed() {
  try {
    return location.hash.replace(/^#\/?/, '').split('/').map(decodeURIComponent)
  } catch {
    return ['services']
  }
}

function open(byReader) {
  asking.abort()
  asking = new AbortController()
  shown = ''
  last = undefined
  const place = placed()
  const [title, path, query, show] = planOf(place)
  at('title').textContent = title
  document.title = title + ' – ' + product
  at('problem').textContent = ''
  put('Loading …')
  const section = place[0] === 'key' ? 'keys' : ['nodes', 'keys'].includes(place[0]) ? place[0] : 'services'
  for (const each of document.querySelectorAll('nav a')) {
    if (each.dataset.view === section) each.setAttribute('aria-current', 'page')
    else each.removeAttribute('aria-current')
  }
  // A reader that follows a link hears where it led.
  if (byReader) at('title').focus()
  follow(++view, path, query, show, asking.signal)
}

/** A lasting view would be asked in the chosen datacenter; the list of them is asked once. */
async function listDatacenters() {
  const select = at('datacenter')
  try {
    const { value } = await ask('/v1/catalog/datacenters', {})
    const { value: self } = await ask('/v1/agent/self', {}).catch(() => ({ value: undefined }))
    const own = self?.Config?.Datacenter
    const names = listed(value).slice().sort(byText)
    select.replaceChildren(el('option', { value: '' }, own ?? 'of this agent'),
      ...names.filter((name) => name !== own).map((name) => el('option', { value: name }, name)))
  } catch (cause) {
    select.replaceChildren(el('option', { value: '' }, 'of this agent'))
    at('problem').textContent = 'No list of datacenters: ' + cause.message
  }
}

at('settings').addEventListener('submit', (event) => event.preventDefault())
at('datacenter').addEventListener('change', () => open(false))
at('token').addEventListener('change', () => open(false))
at('filter').addEventListener('input', () => { if (last !== undefined) last() })
// The address names the view, so the skip link moves the focus alone.
at('skip').addEventListener('click', (event) => { event.preventDefault(); at('main').focus() })
addEventListener('hashchange', () => { at('filter').value = ''; open(true) })
open(false)
listDatacenters()
`
