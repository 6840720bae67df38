/**
 * The processes of a measurement and the folder that they write to. Both end with it, also where an error or a signal
 * ends it: a server that was left behind would hold the ports of the next measurement, and take its share of the cores.
 */
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Those that run. */
export const running = new Set()
const folders = []

/** Starts a program of Node; what it prints as errors is shown. */
export function start(args) {
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'inherit'] })
  running.add(child)
  child.on('close', () => running.delete(child))
  return child
}

/** A folder for data and settings, which is removed at the end. */
export function scratch(within = tmpdir()) {
  const folder = mkdtempSync(join(within, 'svc-bench-'))
  folders.push(folder)
  return folder
}

/** Ends what is left. A measurement calls it when it is over; its process then has nothing more to wait for. */
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
