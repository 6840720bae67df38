/**
 * What a picture of a run costs: `node bench/picture.mjs [seconds …]`, after a build. For each number it traces
 * bench/workloads/five-servers-twenty-clients.yaml for so many virtual seconds (4, 42 and 420 make some 1, 10 and 100 MB), makes the page
 * of the trace, and opens it in Chromium three times. Then `svc-sim play` with its page open, and without. Prints sizes,
 * the time and memory that the page took to make, the median time to the first picture, and the load of the machine.
 */
import { spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { createInterface } from 'node:readline'
import { gunzipSync } from 'node:zlib'
import { chromium } from 'playwright-core'

const lengths = process.argv.length > 2 ? process.argv.slice(2).map(Number) : [4, 42, 420]
const root = new URL('../', import.meta.url).pathname
const folder = mkdtempSync(join(tmpdir(), 'svc-picture-'))
const mb = (bytes) => `${(bytes / 1e6).toFixed(2)} MB`
const load = () => `load ${loadavg()[0].toFixed(1)}`

function simulate(...args) {
  const began = performance.now()
  const { status, stderr } = spawnSync(
    '/usr/bin/env',
    ['time', '-f', '%M', process.execPath, 'bin/svc-sim.js', ...args],
    {
      cwd: root,
      encoding: 'utf8',
    },
  )
  if (status !== 0) throw new Error(stderr)
  return { seconds: (performance.now() - began) / 1000, kb: Number(stderr.trim().split('\n').at(-1)) }
}

async function firstPicture(browser, url) {
  const page = await browser.newPage({ viewport: { width: 1500, height: 950 } })
  await page.goto(url)
  await page.waitForFunction("performance.getEntriesByName('first picture').length > 0")
  const ms = await page.evaluate("performance.getEntriesByName('first picture')[0].startTime")
  await page.close()
  return ms
}

async function reports(browser) {
  const workload = readFileSync(`${root}bench/workloads/five-servers-twenty-clients.yaml`, 'utf8')
  for (const seconds of lengths) {
    const [file, trace, html] = ['run.yaml', 'run.jsonl.gz', 'run.html'].map((name) => join(folder, name))
    writeFileSync(file, workload.replace(/^lasts: .*$/m, `lasts: ${seconds}s`))
    simulate('run', file, '--quiet', '--no-demands', '--trace', trace)
    const made = simulate('report', trace, '-o', html)
    const bytes = gunzipSync(readFileSync(trace)).length
    const times = []
    for (let time = 0; time < 3; time++) times.push(await firstPicture(browser, `file://${html}`))
    const [, median] = times.sort((a, b) => a - b)
    const page = `page ${mb(statSync(html).size)} made in ${made.seconds.toFixed(2)} s with ${Math.round(made.kb / 1024)} MB`
    console.log(`${seconds} s: trace ${mb(bytes)}, ${page}, first picture ${median.toFixed(0)} ms; ${load()}`)
  }
}

/** Events a second of a cluster that is played with as fast as the machine can. */
async function played(browser, isOpen) {
  const args = ['bin/svc-sim.js', 'play', '--servers', '5', '--clients', '5', '--port', '21900', '--rate', '100']
  const child = spawn(process.execPath, args, { cwd: root, stdio: ['ignore', 'pipe', 'inherit'] })
  let address = ''
  for await (const line of createInterface({ input: child.stdout })) {
    address = /^open (\S+)$/.exec(line)?.[1] ?? address
    if (address !== '') break
  }
  const page = isOpen ? await browser.newPage({ viewport: { width: 1500, height: 950 } }) : undefined
  await page?.goto(address)
  const [url, token] = address.split('#token=')
  const events = async () => {
    const answer = await fetch(`${url}status`, { headers: { Authorization: `Bearer ${token}` } })
    return (await answer.json()).events
  }
  await new Promise((resolve) => setTimeout(resolve, 5_000))
  const [before, began] = [await events(), performance.now()]
  await new Promise((resolve) => setTimeout(resolve, 20_000))
  const rate = ((await events()) - before) / ((performance.now() - began) / 1000)
  console.log(`play, 10 agents, page ${isOpen ? 'open' : 'closed'}: ${Math.round(rate)} events/s; ${load()}`)
  await page?.close()
  child.kill()
}

const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] })
try {
  await reports(browser)
  await played(browser, false)
  await played(browser, true)
} finally {
  await browser.close()
  rmSync(folder, { recursive: true, force: true })
}
