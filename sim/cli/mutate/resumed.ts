import { type Head, type Line, lineSchema } from '../../mutation/lines.ts'
import { readText, type TextKind } from '../files.ts'
import { LineFile, thereAlready } from '../line-file.ts'
import type { SimTerminal } from '../terminal.ts'
import type { MutateFlags } from './flags.ts'

/** The lines of a campaign: those that are known, and where new ones go. */
export interface Lines {
  readonly known: readonly Line[]
  add(line: Line): void
  /** False: the file is incomplete, which was reported. */
  end(): Promise<boolean>
}

const linesFile: TextKind = {
  bytesMax: 256 << 20,
  instead: 'name a file of --jsonl',
  tooLarge: 'begin anew with another file',
}

/**
 * Opens the file of `--jsonl`; with `--resume`, new lines follow its present content. Undefined: it cannot be used,
 * which was reported.
 */
export async function openLines(
  { jsonl, resume = false }: Pick<MutateFlags, 'jsonl' | 'resume'>,
  head: Head,
  terminal: SimTerminal,
): Promise<Lines | undefined> {
  if (jsonl === undefined) {
    if (resume) terminal.error('--resume goes on with the file of --jsonl: name it\n')
    return resume ? undefined : { known: [], add: () => {}, end: async () => true }
  }
  const taken = resume ? undefined : await thereAlready(terminal, jsonl)
  if (taken !== undefined) {
    terminal.error(`${taken}\n`)
    return undefined
  }
  const known = resume ? await knownLines(jsonl, head, terminal) : []
  const file = known === undefined ? undefined : await LineFile.create(terminal, jsonl)
  if (known === undefined || file === undefined) return undefined
  const add = (line: Line): void => file.add(JSON.stringify(line))
  for (const line of [head, ...known]) add(line)
  return {
    known,
    add,
    end: async () => {
      const problem = await file.end()
      if (problem !== undefined) terminal.error(`${problem}\n`)
      return problem === undefined
    },
  }
}

async function knownLines(file: string, head: Head, terminal: SimTerminal): Promise<readonly Line[] | undefined> {
  const refused = (why: string): undefined => {
    terminal.error(`${file}: ${why}\n`)
  }
  const text = await readText(terminal.disk, file, linesFile)
  if (!text.ok) return refused(`cannot be resumed: ${text.error}`)
  const lines: Line[] = []
  for (const line of text.value.split('\n')) {
    const read = parsedLine(line)
    // A command that was stopped can leave half a line at the end.
    if (read !== undefined) lines.push(read)
  }
  const [first, ...rest] = lines
  if (first?.kind !== 'head') return refused('does not begin as --jsonl writes it: name another file')
  if (JSON.stringify(first) !== JSON.stringify(head)) {
    return refused('is of another build, room, sample, seed or budget: name another file, or ask for the same')
  }
  return rest.filter(({ kind }) => kind !== 'head')
}

function parsedLine(line: string): Line | undefined {
  try {
    return lineSchema.parse(JSON.parse(line))
  } catch {
    return undefined
  }
}
