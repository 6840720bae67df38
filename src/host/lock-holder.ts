import { readFile } from 'node:fs/promises'
import { codeOf } from './system-error.ts'

/** The holder of a lock. A process ID alone does not identify it: IDs are reused, after a reboot within seconds. */
export interface LockHolder {
  readonly pid: number
  /** When the process started, in clock ticks since the machine started; empty if the system does not tell. */
  readonly started: string
  /** Changes at every start of the machine; empty if the system does not tell. */
  readonly boot: string
  /** Makes each lock file unique. */
  readonly nonce: string
}

export function writeHolder(holder: LockHolder): string {
  return `${JSON.stringify({ pid: holder.pid, started: holder.started, boot: holder.boot, nonce: holder.nonce })}\n`
}

/** `undefined` for anything that `writeHolder` did not write completely. */
export function parseHolder(content: string): LockHolder | undefined {
  let value: unknown
  try {
    value = JSON.parse(content)
  } catch (cause) {
    if (cause instanceof SyntaxError) return undefined
    throw cause
  }
  if (typeof value !== 'object' || value === null || !content.endsWith('\n')) return undefined
  const { pid, started, boot, nonce } = value as Record<string, unknown>
  if (typeof pid !== 'number' || !Number.isInteger(pid) || pid <= 0) return undefined
  if (typeof started !== 'string' || typeof boot !== 'string' || typeof nonce !== 'string') return undefined
  return { pid, started, boot, nonce }
}

export interface ProcessStat {
  readonly state: string
  readonly started: string
}

/**
 * Parses state and start time in `/proc/<pid>/stat` (proc(5), fields 3 and 22). The second field is the program's name
 * in parentheses, which may itself contain spaces and parentheses: the last parenthesis counts.
 */
export function parseProcessStat(stat: string): ProcessStat | undefined {
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  const state = fields[0]
  const started = fields[19]
  return state === undefined || started === undefined || !/^\d+$/.test(started) ? undefined : { state, started }
}

export async function thisProcess(nonce: string): Promise<LockHolder> {
  const stat = await processStat(process.pid)
  return { pid: process.pid, started: stat?.started ?? '', boot: await bootId(), nonce }
}

/** Whether that very process still runs. A zombie, which waits only for its parent, does not count. */
export async function isAlive(holder: LockHolder): Promise<boolean> {
  if (holder.boot !== (await bootId())) return false
  if (holder.started === '') return signalReaches(holder.pid)
  const stat = await processStat(holder.pid)
  return stat !== undefined && stat.started === holder.started && stat.state !== 'Z' && stat.state !== 'X'
}

function signalReaches(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (cause) {
    return codeOf(cause) === 'EPERM'
  }
}

async function processStat(pid: number): Promise<ProcessStat | undefined> {
  const stat = await readIfThere(`/proc/${pid}/stat`)
  return stat === undefined ? undefined : parseProcessStat(stat)
}

async function bootId(): Promise<string> {
  return (await readIfThere('/proc/sys/kernel/random/boot_id'))?.trim() ?? ''
}

/** If a process ends between opening and reading its file, the read fails with ESRCH. */
async function readIfThere(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8')
  } catch (cause) {
    if (codeOf(cause) === 'ENOENT' || codeOf(cause) === 'ESRCH') return undefined
    throw cause
  }
}
