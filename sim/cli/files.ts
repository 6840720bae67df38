import { textOf, utf8 } from '../../src/base/bytes.ts'
import { err, ok, type Result } from '../../src/base/result.ts'
import type { Disk, DiskFailure, Readers } from '../../src/env/disk.ts'
import type { TextSink } from '../report/trace-writer.ts'
import { type LoadedScenario, loadScenario, problemText } from '../scenario/language/load.ts'
import { scenarioBytesMax } from '../scenario/language/yaml-document.ts'
import type { InputFailure, SimTerminal } from './terminal.ts'

interface ReadScenario {
  readonly loaded: LoadedScenario
  readonly text: string
}

/** Reads a scenario file, or says what is wrong with it, in one line each. */
export async function readScenario(disk: Disk, file: string): Promise<Result<ReadScenario, readonly string[]>> {
  const text = await readText(disk, file, scenarioText)
  if (!text.ok) return err([text.error])
  const loaded = loadScenario(file, text.value)
  return loaded.ok ? ok({ loaded: loaded.value, text: text.value }) : err(loaded.error.map(problemText))
}

/** The kind of the file, and advice for a file of another kind. */
export interface TextKind {
  readonly bytesMax: number
  /** Advice if the path is a directory. */
  readonly instead: string
  readonly tooLarge: string
}

const scenarioText: TextKind = {
  bytesMax: scenarioBytesMax,
  instead: 'name the scenario files in it',
  tooLarge: 'split it into several scenarios',
}

/** A whole file as text. */
export async function readText(disk: Disk, file: string, kind: TextKind): Promise<Result<string, string>> {
  const failed = (failure: DiskFailure): Result<string, string> => {
    if (failure.kind === 'is-directory') return err(`${file}: is a directory: ${kind.instead}`)
    const { kind: why } = failure
    return err(`${file}: ${why === 'not-found' || why === 'permission' ? reasons[why] : `cannot be read (${why})`}`)
  }
  const opened = await disk.open(file, 'read')
  if (!opened.ok) return failed(opened.error)
  const read = await opened.value.read(0, kind.bytesMax + 1)
  await opened.value.close()
  if (!read.ok) return failed(read.error)
  if (read.value.length > kind.bytesMax) return err(`${file}: larger than ${kind.bytesMax} bytes: ${kind.tooLarge}`)
  return ok(textOf(read.value))
}

/** Creates or replaces a file; reports a failure and returns false. `readers`: of a new file, its owner if not given. */
export async function writeText(
  { disk, error }: SimTerminal,
  file: string,
  text: string,
  readers?: Readers,
): Promise<boolean> {
  const opened = await disk.open(file, 'create', readers)
  if (!opened.ok) {
    error(cannotBeWritten(file, opened.error.kind))
    return false
  }
  const bytes = utf8(text)
  const written = await opened.value.write(0, bytes)
  const size = written.ok ? await opened.value.size() : written
  // Only a longer file is cut: a device such as /dev/null cannot be truncated.
  const cut = size.ok && size.value > bytes.length ? await opened.value.truncate(bytes.length) : size
  await opened.value.close()
  if (!cut.ok) error(`${file}: was not written whole (${cut.error.kind})\n`)
  return cut.ok
}

/** Whether a file can be created or replaced, before long work for it; reports a failure, and leaves no new file. */
export async function canBeWritten({ disk, error }: SimTerminal, file: string): Promise<boolean> {
  const found = await disk.stat(file)
  // Opening a pipe would wait for its reader.
  if (found.ok && found.value.kind === 'other') return true
  const opened = await disk.open(file, 'create')
  if (!opened.ok) {
    error(cannotBeWritten(file, opened.error.kind))
    return false
  }
  await opened.value.close()
  if (!found.ok) await disk.remove(file)
  return true
}

/** A file that is written during a run; undefined: it cannot be written, which was reported. */
export async function openText(terminal: SimTerminal, file: string): Promise<TextSink | undefined> {
  const opened = await terminal.disk.open(file, 'create')
  if (!opened.ok) {
    terminal.error(cannotBeWritten(file, opened.error.kind))
    return undefined
  }
  await opened.value.close()
  return terminal.createTextFile(file)
}

/** Why a file could not be read to its end; `instead`: advice if it is a directory. */
export function unreadText({ kind, message }: InputFailure, instead: string): string {
  switch (kind) {
    case 'not-found':
    case 'permission':
      return reasons[kind]
    case 'is-directory':
      return `is a directory: ${instead}`
    case 'damaged':
      return `the compressed file is damaged or cut short (${message})`
    case 'io':
      return `cannot be read (${message})`
  }
}

function cannotBeWritten(file: string, why: string): string {
  return `${file}: cannot be written (${why}): name another file\n`
}

const reasons = {
  'not-found': 'there is no such file: check the path',
  permission: 'may not be read: check its permissions',
} as const
