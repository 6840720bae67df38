/**
 * What a picture of a run costs: `node bench/picture.mjs [workload:seconds … | play]`, after a build. For each it traces
 * bench/workloads/<workload>.yaml for so many virtual seconds, makes the page of the trace, and opens it in Chromium
 * three times, beside a page with one word. Then, or alone if `play` is given, it measures `svc-sim play` with its page
 * open, and without. Prints sizes, medians of the time and of the main thread's CPU time until the first picture, and
 * the load of the machine: on a busy one only CPU times and ratios count.
 */
import { spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { createInterface } from 'node:readline'
import { gunzipSync } from 'node:zlib'
import { chromium } from 'playwright-core'

/** Some 1, 10 and 100 MB of trace. */
const usual = ['five-servers:4', 'five-servers-twenty-clients:28', 'five-servers-twenty-clients:480']
const runs = process.argv.length > 2 ? process.argv.slice(2).filter((run) => run !== 'play') : usual
const root = new URL('../', import.meta.url).pathname
const folder = mkdtempSync(join(tmpdir(), 'svc-picture-'))
const mb = (bytes) => `${(bytes / 1e6).toFixed(2)} MB`
const load = () => `load ${loadavg()[0].toFixed(1)}`
const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]
const firstPictureMark = "performance.getEntriesByName('first picture')"

function simulate(...args) {
  const timed = ['time', '-f', '%U %S %M', process.execPath, 'bin/svc-sim.js', ...args]
  const { status, stderr } = spawnSync('/usr/bin/env', timed, { cwd: root, encoding: 'utf8' })
  if (status !== 0) throw new Error(stderr)
  const [user, system, kb] = stderr.trim().split('\n').at(-1).split(' ').map(Number)
  return { cpuSeconds: user + system, kb }
}

async function cpuSeconds(session) {
  const { metrics } = await session.send('Performance.getMetrics')
  return metrics.find(({ name }) => name === 'ThreadTime').value
}

async function firstPicture(browser, file) {
  const page = await browser.newPage({ viewport: { width: 1500, height: 950 } })
  const session = await page.context().newCDPSession(page)
  await session.send('Performance.enable', { timeDomain: 'threadTicks' })
  const before = await cpuSeconds(session)
  await page.goto(`file://${file}`, { waitUntil: 'commit' })
  while ((await page.evaluate(`${firstPictureMark}.length`)) === 0) await page.waitForTimeout(20)
  const cpu = 1000 * ((await cpuSeconds(session)) - before)
  const wall = await page.evaluate(`${firstPictureMark}[0].startTime`)
  await page.close()
  return { wall, cpu }
}

async function opened(browser, file) {
  const times = []
  for (let time = 0; time < 3; time++) times.push(await firstPicture(browser, file))
  const of = (name) => median(times.map((each) => each[name])).toFixed(0)
  return `first picture after ${of('wall')} ms, ${of('cpu')} ms of CPU time; ${load()}`
}

async function reports(browser) {
  const word = join(folder, 'word.html')
  writeFileSync(
    word,
    `<!doctype html><title>a word</title>word<script>requestAnimationFrame(() => performance.mark('first picture'))</script>`,
  )
  for (const run of runs) {
    const [workload, seconds] = run.split(':')
    const [file, trace, html] = ['run.yaml', 'run.jsonl.gz', 'run.html'].map((name) => join(folder, name))
    const page = readFileSync(`${root}bench/workloads/${workload}.yaml`, 'utf8')
    writeFileSync(file, page.replace(/^lasts: .*$/m, `lasts: ${seconds}s`))
    simulate('run', file, '--quiet', '--no-demands', '--trace', trace)
    const made = simulate('report', trace, '-o', html)
    const bytes = gunzipSync(readFileSync(trace)).length
    const cost = `${made.cpuSeconds.toFixed(1)} s of CPU time and ${Math.round(made.kb / 1024)} MB`
    console.log(`${run} s: trace ${mb(bytes)}, page ${mb(statSync(html).size)} made with ${cost}`)
    console.log(`  ${await opened(browser, html)}`)
    console.log(`  a page with one word: ${await opened(browser, word)}`)
  }
}

/** Seconds of CPU time that a process has taken. */
function takenBy(pid) {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ')
  return (Number(fields[11]) + Number(fields[12])) / 100
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
  const [before, cpu, began] = [await events(), takenBy(child.pid), performance.now()]
  await new Promise((resolve) => setTimeout(resolve, 20_000))
  const happened = (await events()) - before
  const rate = Math.round(happened / ((performance.now() - began) / 1000))
  const cpuRate = Math.round(happened / (takenBy(child.pid) - cpu))
  const state = isOpen ? 'open' : 'closed'
  console.log(`play, 10 agents, page ${state}: ${rate} events/s, ${cpuRate} in a second of its CPU time; ${load()}`)
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
