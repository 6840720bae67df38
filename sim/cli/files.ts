import { textOf } from '../../src/base/bytes.ts'
import { err, ok, type Result } from '../../src/base/result.ts'
import type { Disk } from '../../src/env/disk.ts'
import { type LoadedScenario, loadScenario, problemText } from '../scenario/load.ts'
import { scenarioBytesMax } from '../scenario/yaml-document.ts'

/** Reads a scenario file, or says in one line each what is wrong with it. */
export async function readScenario(disk: Disk, file: string): Promise<Result<LoadedScenario, readonly string[]>> {
  const text = await readText(disk, file)
  if (!text.ok) return err([text.error])
  const loaded = loadScenario(file, text.value)
  return loaded.ok ? loaded : err(loaded.error.map(problemText))
}

async function readText(disk: Disk, file: string): Promise<Result<string, string>> {
  const opened = await disk.open(file, 'read')
  if (!opened.ok) return err(`${file}: ${reasons.get(opened.error.kind) ?? `cannot be read (${opened.error.kind})`}`)
  const read = await opened.value.read(0, scenarioBytesMax + 1)
  await opened.value.close()
  if (!read.ok) return err(`${file}: ${reasons.get(read.error.kind) ?? `cannot be read (${read.error.kind})`}`)
  return ok(textOf(read.value))
}

const reasons: ReadonlyMap<string, string> = new Map([
  ['not-found', 'there is no such file: check the path'],
  ['permission', 'may not be read: check its permissions'],
  ['is-directory', 'is a directory: name the scenario files in it'],
])
