/**
 * What an agent without requests costs: ms from the start of a `-dev` process until its first write succeeded, CPU of that,
 * CPU of an idle second from second 1 and from second `--after` (10) on, and memory then, with the part of it that is
 * Node's own program and libraries. `--disk`: a server with a data directory instead.
 */
import { readFileSync } from 'node:fs'
import { cpuMs, endAll, pause } from '../children.mjs'
import { numberOption, options } from '../figures.mjs'
import { builds, printTable, rounds, startAgent, startFloor } from './sides.mjs'

const afterMs = numberOption('after', 10) * 1000
const lookMs = numberOption('seconds', 10) * 1000

async function cpuShare({ child }, forMs) {
  const before = cpuMs(child)
  await pause(forMs)
  return ((cpuMs(child) - before) / forMs) * 100
}

function memoryMb({ child }) {
  const status = readFileSync(`/proc/${child.pid}/status`, 'utf8')
  const mb = (name) => Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1]) / 1024
  return { 'RSS MB': mb('VmRSS'), 'of it files': mb('RssFile') }
}

async function look(side) {
  const startCpuMs = cpuMs(side.child)
  await pause(1000)
  const first = await cpuShare(side, Math.max(1000, afterMs - 1000))
  const later = await cpuShare(side, lookMs)
  const start = { 'start ms': side.startedMs ?? Number.NaN, 'CPU ms of it': startCpuMs }
  return { ...start, 'CPU % at first': first, 'CPU % later': later, ...memoryMb(side) }
}

export async function idle() {
  const dev = !options.has('disk')
  const sides = [...builds(), { name: 'node:http' }].map((side) => ({ ...side, figures: [] }))
  for (let round = 0; round < rounds; round++) {
    for (const { name, program, figures } of sides) {
      figures.push(
        await look(program === undefined ? await startFloor() : await startAgent({ name, program }, { dev })),
      )
      endAll()
    }
  }
  printTable(dev ? 'an idle -dev agent' : 'an idle server with a data directory', sides)
}
