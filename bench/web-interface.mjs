import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { chromium } from 'playwright-core'

/**
 * `node bench/web-interface.mjs [services] [keys]`: the web interface in headless Chromium, before an agent with so many
 * services (1,000) and keys (10,000). Prints the size of its files, when the first picture is drawn and when the list is,
 * and what one change costs in the page and at the agent. CPU times are those of the page's main thread, from Chromium,
 * and of the agent's process, from /proc, so that they mean something on a machine with other work.
 */
const services = Number(process.argv[2] ?? 1_000)
const keys = Number(process.argv[3] ?? 10_000)
const changes = 20
const root = fileURLToPath(new URL('..', import.meta.url))
const http = 18_560
const api = `http://127.0.0.1:${http}`
const ports = [`-http-port=${http}`, '-server-port=18561', '-serf-lan-port=18562', '-serf-wan-port=-1', '-dns-port=-1']

async function seeded() {
  for (let first = 0; first < services; first += 50) {
    const some = Array.from({ length: Math.min(50, services - first) }, (_, at) => first + at)
    await Promise.all(some.map((number) => register(number, 'passing')))
  }
  for (let first = 0; first < keys; first += 64) {
    const some = Array.from({ length: Math.min(64, keys - first) }, (_, at) => first + at)
    const operations = some.map((number) => ({
      KV: { Verb: 'set', Key: `app/key-${String(number).padStart(5, '0')}`, Value: btoa(`value ${number}`) },
    }))
    await fetch(`${api}/v1/txn`, { method: 'PUT', body: JSON.stringify(operations) })
  }
}

function register(number, Status) {
  const name = `service-${String(number).padStart(4, '0')}`
  const body = {
    Node: `node-${number % 50}`,
    Address: `10.0.${number % 50}.1`,
    Service: { ID: name, Service: name, Port: 80, Tags: ['a', 'b'] },
    Check: {
      Node: `node-${number % 50}`,
      CheckID: `check-${name}`,
      Name: 'http',
      Status,
      ServiceID: name,
      Output: 'ok',
    },
  }
  return fetch(`${api}/v1/catalog/register`, { method: 'PUT', body: JSON.stringify(body) })
}

const agentCpuMs = (pid) => {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
  return (Number(fields[11]) + Number(fields[12])) * 10
}

async function pageCpuMs(session) {
  const { metrics } = await session.send('Performance.getMetrics')
  return 1_000 * (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? 0)
}

async function opened(browser, pid, hash) {
  const page = await browser.newPage()
  const session = await page.context().newCDPSession(page)
  // In time of the thread's own CPU, whatever else runs on the machine.
  await session.send('Performance.enable', { timeDomain: 'threadTicks' })
  const fromMs = agentCpuMs(pid)
  await page.goto(`${api}/ui/${hash}`)
  await page.waitForSelector('tbody tr')
  const listMs = await page.evaluate(() => performance.now())
  const firstMs = await page.evaluate(() => performance.getEntriesByName('first picture')[0]?.startTime ?? 0)
  const cost = { page: await pageCpuMs(session), agent: agentCpuMs(pid) - fromMs }
  console.log(
    `${hash}: first picture after ${firstMs.toFixed(0)} ms, list after ${listMs.toFixed(0)} ms; CPU: page ${cost.page.toFixed(0)} ms, agent ${cost.agent} ms`,
  )
  return { page, session }
}

/** What changes cost a page that shows the list, and the agent: each is seen before the next is made. */
async function changed({ page, session }, pid, what, change, isSeen) {
  const [page0, agent0] = [await pageCpuMs(session), agentCpuMs(pid)]
  for (let round = 0; round < changes; round++) {
    await change(round)
    await page.waitForFunction(isSeen, round, { polling: 100 })
  }
  const [page1, agent1] = [await pageCpuMs(session), agentCpuMs(pid)]
  const each = (ms) => (ms / changes).toFixed(1)
  console.log(
    `${what}: each change costs the page ${each(page1 - page0)} ms of CPU, and the agent ${each(agent1 - agent0)} ms`,
  )
}

const agent = spawn(process.execPath, [join(root, 'bin/svc.js'), 'agent', '-dev', '-log-level=err', ...ports], {
  stdio: 'ignore',
})
try {
  while (
    !(
      await fetch(`${api}/v1/status/leader`).then(
        (answer) => answer.text(),
        () => '',
      )
    ).includes(':')
  );
  await seeded()
  for (const name of ['app.js', 'app.css']) {
    const answer = await fetch(`${api}/ui/${name}`, { method: 'HEAD', headers: { 'Accept-Encoding': 'gzip' } })
    console.log(`${name}: ${answer.headers.get('content-length')} bytes as sent`)
  }
  const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] })
  const list = await opened(browser, agent.pid, '#/services')
  await changed(
    list,
    agent.pid,
    `${services} services`,
    (round) => register(0, round % 2 === 0 ? 'critical' : 'passing'),
    (round) => document.querySelector('tbody tr')?.textContent?.includes('critical') === (round % 2 === 0),
  )
  await list.page.close()
  const folder = await opened(browser, agent.pid, '#/keys/below/app%2F')
  await changed(
    folder,
    agent.pid,
    `${keys} keys in a folder`,
    (round) => fetch(`${api}/v1/kv/app/a${String(round).padStart(2, '0')}`, { method: 'PUT', body: '1' }),
    (round) => document.querySelector('tbody')?.textContent?.includes(`a${String(round).padStart(2, '0')}`) === true,
  )
  await browser.close()
} finally {
  agent.kill('SIGKILL')
}
