/**
 * The processes of a measurement and the folder that they write to. Both end with it, also where an error or a signal
 * ends it: a server that was left behind would hold the ports of the next measurement, and take its share of the cores.
 */
import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const svc = fileURLToPath(new URL('../bin/svc.js', import.meta.url))
/** The clock of /proc: hundredths of a second. */
const tickMs = 10
const running = new Set()
const folders = []

export const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms))

/** Starts a program of Node; what it prints as errors is shown. `stdout`: `pipe` to read it. */
export function start(args, { stdout = 'ignore', env = {} } = {}) {
  const child = spawn(process.execPath, args, { stdio: ['ignore', stdout, 'inherit'], env: { ...process.env, ...env } })
  return keepUntilEnd(child)
}

/** Has `endAll` end a process that something else started. */
export function keepUntilEnd(child) {
  running.add(child)
  child.on('close', () => running.delete(child))
  return child
}

/** Starts an agent that keeps nothing on disk, with these settings beside `-dev`. */
export function startDevAgent(name, settings, nodeArgs = []) {
  const file = join(scratch(), `${name}.json`)
  writeFileSync(file, JSON.stringify(settings))
  return start([...nodeArgs, svc, 'agent', '-dev', `-config-file=${file}`, '-log-level=err'])
}

/** Settles when the process has ended. */
export function stop(child, signal = 'SIGKILL') {
  if (!running.has(child)) return Promise.resolve()
  const closed = new Promise((resolve) => child.on('close', resolve))
  child.kill(signal)
  return closed
}

/** CPU that the process has used so far, user and system, all threads; in steps of 10 ms. */
export function cpuMs({ pid }) {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ')
  return (Number(fields[11]) + Number(fields[12])) * tickMs
}

/** Looks again and again until the check is true; a connection that fails counts as false. */
export async function until(check) {
  for (let tries = 0; tries < 600; tries++) {
    try {
      if (await check()) return
    } catch (cause) {
      if (!(cause instanceof TypeError) && cause.code !== 'ECONNREFUSED') throw cause
    }
    await pause(100)
  }
  throw new Error('it did not come up within a minute')
}

export async function freePorts(count) {
  const servers = Array.from({ length: count }, () => createServer())
  const ports = await Promise.all(
    servers.map((server) => {
      return new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(server.address().port)))
    }),
  )
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))))
  return ports
}

/** A folder for data and settings, which is removed at the end. */
export function scratch(within = tmpdir()) {
  const folder = mkdtempSync(join(within, 'svc-bench-'))
  folders.push(folder)
  return folder
}

/** Ends the processes that still run. A measurement calls it last, so that its own process can end. */
export function endAll() {
  for (const child of running) child.kill('SIGKILL')
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true })
}

process.on('exit', endAll)
for (const [signal, code] of [
  ['SIGHUP', 129],
  ['SIGINT', 130],
  ['SIGTERM', 143],
])
  process.on(signal, () => process.exit(code))
