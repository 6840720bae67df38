import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { brotliCompressSync, gzipSync } from 'node:zlib'

/**
 * Puts each page of the simulator together as one file of HTML, `dist/pages/<name>.html.br`, which fetches nothing: its
 * script with all it imports, its style sheet, and a policy that lets a browser run these and nothing else. What the
 * page shows is put in place of `<!-- film -->` by `sim/picture/film-page.ts`, and in the page without a script by
 * `sim/report/still-page.ts`. The script runs before the events in place of `<!-- pieces -->` are read, so that the
 * first picture need not wait for them. Does nothing when it would write the same again.
 */
const root = new URL('../../', import.meta.url)
const path = (name) => fileURLToPath(new URL(name, root))
const styles = ['node_modules/uplot/dist/uPlot.min.css', 'sim/page/colours.css', 'sim/page/page.css']
const pages = {
  report: { entry: 'dist/sim/page/main.js', styles, connect: "'none'" },
  // It asks the server that it came from.
  play: {
    entry: 'dist/sim/page/play/main.js',
    styles: [...styles, 'sim/page/play/play.css'],
    connect: "'self'",
  },
  // A cluster runs in a worker of it, whose script lies in the page.
  tab: {
    entry: 'dist/sim/page/tab/main.js',
    styles: [...styles, 'sim/page/play/play.css', 'sim/page/tab/tab.css'],
    connect: "'none'",
    worker: 'blob:',
  },
  // What it shows is drawn when it is made: no script runs in it.
  still: { entry: undefined, styles: ['sim/page/colours.css', 'sim/page/still.css'], connect: "'none'" },
}

function isCurrent(name, { styles }) {
  const made = path(`dist/pages/${name}.html.br`)
  if (!existsSync(made)) return false
  const { mtimeMs } = statSync(made)
  const modules = [
    'dist/sim/page',
    'dist/sim/page/play',
    'dist/sim/page/tab',
    'dist/sim/report',
    'dist/sim/inspection',
  ].flatMap((folder) =>
    readdirSync(path(folder))
      .filter((file) => file.endsWith('.js'))
      .map((file) => `${folder}/${file}`),
  )
  const read = [...modules, ...styles].map(path)
  return [fileURLToPath(import.meta.url), ...read].every((file) => statSync(file).mtimeMs <= mtimeMs)
}

async function scriptOf(entry, form = { format: 'esm' }) {
  const { rolldown } = await import('rolldown')
  const made = await rolldown({ input: path(entry), platform: 'browser' })
  const { output } = await made.generate({ ...form, minify: true, codeSplitting: false })
  await made.close()
  const [chunk, ...others] = output
  if (others.length > 0) throw new Error(`${entry}: a page has one script`)
  // Within HTML a script ends at the first of these, wherever it stands.
  if (/<\/script/i.test(chunk.code)) throw new Error(`${entry}: the script would end within itself`)
  return chunk.code.trim()
}

const digest = (text) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`

async function pageOf({ entry, styles, connect, worker = "'none'" }) {
  const style = styles.map((file) => readFileSync(path(file), 'utf8').trim()).join('\n')
  const script = entry === undefined ? undefined : await scriptOf(entry)
  const policy = `default-src 'none'; script-src ${script === undefined ? "'none'" : digest(script)}; style-src ${digest(style)}; connect-src ${connect}; worker-src ${worker}; base-uri 'none'; form-action 'none'`
  return [
    '<!doctype html>',
    '<html lang="en">',
    '<head>',
    '<meta charset="utf-8">',
    `<meta http-equiv="Content-Security-Policy" content="${policy}">`,
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    '<title><!-- title --></title>',
    `<style>${style}</style>`,
    '</head>',
    '<body>',
    ...(script === undefined
      ? ['<!-- film -->']
      : [
          '<div id="page">A browser with scripts shows the run here.</div>',
          '<!-- film -->',
          `<script type="module" async>${script}</script>`,
          '<!-- pieces -->',
        ]),
    '</body>',
    '</html>',
    '',
  ].join('\n')
}

mkdirSync(path('dist/pages'), { recursive: true })
for (const [name, page] of Object.entries(pages)) {
  if (!isCurrent(name, page)) writeFileSync(path(`dist/pages/${name}.html.br`), brotliCompressSync(await pageOf(page)))
}

/** `loader.js.br`: what runs the files of the bundle in a browser. It is a script, not a module: the worker is one. */
const loader = 'dist/sim/web/loader.js'
const madeLoader = path('dist/pages/loader.js.br')
const madeMs = existsSync(madeLoader) ? statSync(madeLoader).mtimeMs : 0
if ([fileURLToPath(import.meta.url), path(loader)].some((file) => statSync(file).mtimeMs > madeMs)) {
  writeFileSync(madeLoader, brotliCompressSync(await scriptOf(loader, { format: 'iife', name: 'loader' })))
}

/**
 * The two files of the agent's own web interface. They are kept as gzip, because that is what a browser accepts over plain
 * HTTP, so the agent sends them as they are.
 */
const interfaceFolder = 'dist/src/http/ui/page'
const interfaceStyles = ['src/http/ui/page/style/colours.css', 'src/http/ui/page/style/page.css']
const interfaceModules = readdirSync(path(interfaceFolder), { recursive: true })
  .filter((file) => file.endsWith('.js'))
  .map((file) => `${interfaceFolder}/${file}`)
const isNewerThan = (made, read) =>
  !existsSync(path(made)) ||
  [fileURLToPath(import.meta.url), ...read.map(path)].some(
    (file) => statSync(file).mtimeMs > statSync(path(made)).mtimeMs,
  )
const keepPacked = (name, text) => writeFileSync(path(name), gzipSync(text, { level: 9 }))
if (isNewerThan('dist/pages/ui.js.gz', interfaceModules)) {
  keepPacked('dist/pages/ui.js.gz', await scriptOf(`${interfaceFolder}/main.js`, { format: 'iife' }))
}
if (isNewerThan('dist/pages/ui.css.gz', interfaceStyles)) {
  keepPacked('dist/pages/ui.css.gz', interfaceStyles.map((file) => readFileSync(path(file), 'utf8').trim()).join('\n'))
}
