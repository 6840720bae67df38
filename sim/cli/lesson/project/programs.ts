import { err, ok, type Result } from '../../../../src/base/result.ts'
import type { ProgramEnd } from '../../../bisect/workplace.ts'
import { writeText } from '../../files.ts'
import type { SimTerminal } from '../../terminal.ts'

/** Maximum real time of one process that runs a student's code: ten times what a sound solution needs. */
const withinMs = 600_000
/** Maximum number of lines that are shown of a student's program. */
const linesShown = 20

/** Runs Node on a student's code, to its end. */
export function runNode(
  argv: readonly string[],
  { workplace }: Pick<SimTerminal, 'workplace'>,
  options: { readonly folder?: string; readonly environment?: Readonly<Record<string, string>> } = {},
): Promise<ProgramEnd> {
  return workplace.run([workplace.node, ...argv], { ...options, withinMs })
}

/** A new folder with these files. */
export async function folderWith(
  files: Iterable<readonly [string, string]>,
  terminal: SimTerminal,
): Promise<Result<string, string>> {
  const folder = terminal.workplace.folder()
  for (const [name, text] of files) {
    const path = `${folder}/${name}`
    const made = await terminal.disk.makeDirectory(path.slice(0, path.lastIndexOf('/')))
    if (!made.ok || !(await writeText(terminal, path, text))) return err(`${path}: was not written`)
  }
  return ok(folder)
}

/** The value of a line of JSON; undefined if the line is not JSON: a student's code may print lines of its own. */
export function jsonIn(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}

/** The last lines that a program has printed. */
export function lastLines(text: string): readonly string[] {
  return text
    .trimEnd()
    .split('\n')
    .slice(-linesShown)
    .map((line) => `  ${line}`)
}
