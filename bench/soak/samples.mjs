/** What each agent takes of its machine, looked at every few seconds. */

import { readdirSync, readFileSync, statSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { loadavg } from 'node:os'
import { join } from 'node:path'
import { cpuMs } from '../children.mjs'
import { median } from '../figures.mjs'
import { agents, nameOf } from './cluster.mjs'

const everyMs = 5000

/** Undefined where a process or a file went while it was looked at. */
function unlessGone(look) {
  try {
    return look()
  } catch (cause) {
    if (cause.code !== 'ENOENT' && cause.code !== 'ESRCH') throw cause
    return undefined
  }
}

export class Samples {
  #cluster
  #watching
  #record
  #folder
  #loopBytes = new Map()
  #cpu = new Map()

  /** `folder`: on the disk of the data directories. */
  constructor(cluster, watching, record, folder) {
    this.#folder = folder
    this.#cluster = cluster
    this.#watching = watching
    this.#record = record
  }

  static everyMs = everyMs

  async takeAll() {
    this.#record.write('machine', { load: loadavg()[0], syncMs: await this.#syncMs() })
    for (const at of agents) await this.#take(at)
  }

  /** How long the machine takes to make some bytes durable: a write of the cluster waits for that more than once. */
  async #syncMs() {
    const file = await open(join(this.#folder, 'sync'), 'w')
    try {
      await file.write('some bytes')
      const beganMs = performance.now()
      await file.datasync()
      return Math.round((performance.now() - beganMs) * 10) / 10
    } finally {
      await file.close()
    }
  }

  async #take(at) {
    const child = this.#cluster.process(at)
    const lags = this.#watching.takeLags(at)
    const loop = this.#newestLoop(at)
    if (child === undefined || this.#cluster.isAway(at)) return
    const own = this.#ofProcess(child)
    const heap = await this.#heapMb(at)
    if (own === undefined || heap === undefined) return
    this.#record.write('sample', {
      agent: nameOf(at),
      pid: child.pid,
      ageS: Math.round((performance.now() - child.startedMs) / 1000),
      ...own,
      ...heap,
      ...this.#disk(at),
      ...loop,
      ...(lags.length === 0 ? {} : { lagMs: Math.round(median(lags)), lagMaxMs: Math.round(Math.max(...lags)) }),
    })
  }

  /** Undefined where the process has just ended. */
  #ofProcess(child) {
    return unlessGone(() => {
      const status = readFileSync(`/proc/${child.pid}/status`, 'latin1')
      const [used, nowMs] = [cpuMs(child), performance.now()]
      const waitedMs = Number(readFileSync(`/proc/${child.pid}/schedstat`, 'latin1').split(' ')[1]) / 1e6
      const last = this.#cpu.get(child.pid) ?? { used: 0, waitedMs: 0, atMs: child.startedMs }
      this.#cpu.set(child.pid, { used, waitedMs, atMs: nowMs })
      const percent = (ms) => Math.round((ms / (nowMs - last.atMs)) * 1000) / 10
      return {
        rssMb: Math.round(Number(/^VmRSS:\s+(\d+)/m.exec(status)[1]) / 102.4) / 10,
        threads: Number(/^Threads:\s+(\d+)/m.exec(status)[1]),
        descriptors: readdirSync(`/proc/${child.pid}/fd`).length,
        cpuPercent: percent(used - last.used),
        waitedPercent: percent(waitedMs - last.waitedMs),
      }
    })
  }

  /** The heap in use, as the agent says itself. */
  async #heapMb(at) {
    const { status, text } = await this.#cluster.call(at, 'GET', '/v1/agent/metrics')
    if (status !== 200) return undefined
    const gauge = JSON.parse(text).Gauges.find(({ Name }) => Name.endsWith('runtime.alloc_bytes'))
    return gauge === undefined ? undefined : { heapMb: Math.round(gauge.Value / 1e5) / 10 }
  }

  #disk(at) {
    return unlessGone(() => {
      const names = readdirSync(this.#cluster.dir(at), { recursive: true })
      const files = names.map((name) => statSync(join(this.#cluster.dir(at), name), { throwIfNoEntry: false }))
      const bytes = files.reduce((sum, file) => sum + (file?.isFile() ? file.size : 0), 0)
      return { diskMb: Math.round(bytes / 1e5) / 10 }
    })
  }

  /** The newest window of the agent's event loop that was not taken yet. */
  #newestLoop(at) {
    const file = this.#cluster.loopFile(at)
    if (statSync(file, { throwIfNoEntry: false }) === undefined) return {}
    const text = readFileSync(file, 'latin1')
    const isNew = text.length > (this.#loopBytes.get(at) ?? 0)
    this.#loopBytes.set(at, text.length)
    const line = text.split('\n').at(-2)
    if (!isNew || line === undefined) return {}
    const { p99Ms, maxMs } = JSON.parse(line)
    return { loopP99Ms: Math.round(p99Ms * 10) / 10, loopMaxMs: Math.round(maxMs * 10) / 10 }
  }
}
