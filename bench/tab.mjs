import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { chromium } from 'playwright-core'

/**
 * `node bench/tab.mjs`: a page of `svc-sim build-web` in headless Chromium. Prints its size, what it takes until the
 * simulator answers, and the CPU time of a run of five servers in the tab and in Node, both with a picture. CPU times
 * are those of the process that has the tab, from /proc, so that they mean something on a machine with other work.
 */
const root = fileURLToPath(new URL('..', import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'svc-tab-'))
const script = join(root, 'bin/svc-sim.js')
const scenario = 'scenarios/election-under-partition.yaml'
const ticksPerSecond = 100

/** Seconds of CPU of all renderers below this process. */
function rendererSeconds() {
  const stats = readdirSync('/proc').flatMap((pid) => {
    try {
      const words = readFileSync(`/proc/${pid}/cmdline`, 'utf8')
      if (!words.includes('--type=renderer') || !words.includes(folder)) return []
      const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
      return [(Number(fields[11]) + Number(fields[12])) / ticksPerSecond]
    } catch {
      // The process has ended since it was listed.
      return []
    }
  })
  return stats.reduce((sum, each) => sum + each, 0)
}

async function measured(browser, search, until) {
  const page = await browser.newPage()
  await page.goto('about:blank')
  const [fromCpu, fromMs] = [rendererSeconds(), performance.now()]
  await page.goto(`file://${folder}/index.html${search}`)
  await page.waitForSelector(until, { timeout: 600_000 })
  const cost = { cpu: rendererSeconds() - fromCpu, seconds: (performance.now() - fromMs) / 1000 }
  const trace = search.startsWith('?run') ? await page.getAttribute('#verdict', 'data-trace') : undefined
  await page.close()
  return { ...cost, trace }
}

const text = ({ cpu, seconds }) => `${cpu.toFixed(2)} s of CPU, ${seconds.toFixed(2)} s by the clock`

try {
  execFileSync(process.execPath, [script, 'build-web', folder], { stdio: 'ignore' })
  const page = readFileSync(join(folder, 'index.html'))
  console.log(`size: ${statSync(join(folder, 'index.html')).size} bytes, ${gzipSync(page).length} packed`)
  const profile = join(folder, 'profile')
  const browser = await chromium.launchPersistentContext(profile, {
    executablePath: '/usr/bin/chromium',
    args: ['--no-sandbox', `--crash-dumps-dir=${folder}`],
  })
  console.log(`start page: ${text(await measured(browser, '', '.start'))}`)
  console.log(`a cluster is shown: ${text(await measured(browser, '?play&steps=1', '#lanes'))}`)
  const tab = await measured(browser, '?run=election-under-partition&seed=1', '#verdict')
  console.log(`run in the tab: ${text(tab)}`)
  await browser.close()
  const out = execFileSync(
    process.execPath,
    [script, 'run', scenario, '--seed', '1', '--json', '--html', join(folder, 'run.html')],
    { cwd: root, encoding: 'utf8' },
  )
  const { cpuMs, wallMs, trace } = JSON.parse(out)
  console.log(`run in Node: ${text({ cpu: cpuMs / 1000, seconds: wallMs / 1000 })}`)
  console.log(
    `ratio of CPU: ${(tab.cpu / (cpuMs / 1000)).toFixed(2)}; traces ${trace === tab.trace ? 'equal' : 'DIFFER'}`,
  )
} finally {
  rmSync(folder, { recursive: true, force: true })
}
