import { ok, type Result } from '../../../../src/base/result.ts'
import type { Project } from '../../../lessons/projects.ts'
import { readText, type TextKind } from '../../files.ts'
import type { SimTerminal } from '../../terminal.ts'

const projectText: TextKind = { bytesMax: 1 << 20, instead: 'a file is expected there', tooLarge: 'shorten it' }

/** Path of a file of a project as it is shipped with this program. */
export function shippedPath({ name }: Project, file: string, terminal: Pick<SimTerminal, 'lessonsFolder'>): string {
  return `${terminal.lessonsFolder()}/projects/${name}/${file}`
}

export function readProjectFile(path: string, { disk }: Pick<SimTerminal, 'disk'>): Promise<Result<string, string>> {
  return readText(disk, path, projectText)
}

/** The texts of several files, by their names. */
export async function readProjectFiles(
  paths: ReadonlyMap<string, string>,
  terminal: Pick<SimTerminal, 'disk'>,
): Promise<Result<ReadonlyMap<string, string>, string>> {
  const texts = new Map<string, string>()
  for (const [name, path] of paths) {
    const text = await readProjectFile(path, terminal)
    if (!text.ok) return text
    texts.set(name, text.value)
  }
  return ok(texts)
}
