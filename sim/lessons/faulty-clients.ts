import { err, ok, type Result } from '../../src/base/result.ts'

/** A client of the third project that breaks one of its promises. */
export interface FaultyClient {
  /** For teachers; a student is told only how many were found. */
  readonly about: string
  readonly edits: readonly { readonly replace: string; readonly by: string }[]
}

export const faultyClients: readonly FaultyClient[] = [
  {
    about: 'gives up after two requests, within an outage',
    edits: [{ replace: 'const triesMax = 60', by: 'const triesMax = 2' }],
  },
  {
    about: 'asks the first of its agents only',
    edits: [{ replace: 'this.#at = (this.#at + 1) % this.#agents.length', by: 'this.#at = 0' }],
  },
  {
    about: 'takes an error for the acknowledgement of a write',
    edits: [
      { replace: 'if (answer.status < 500) return', by: "if (answer.status < 500 || init.method === 'PUT') return" },
      { replace: 'if ((await answer.json()) !== true)', by: "if ((await answer.text()) === 'false')" },
    ],
  },
  {
    about: 'misses a change that was written while it went over to another agent',
    edits: [
      { replace: 'for (;;) {\n', by: 'for (;;) {\n      const before = this.#at\n' },
      {
        replace: 'if (read.index !== index)',
        by: 'if (this.#at !== before) index = read.index\n      else if (read.index !== index)',
      },
    ],
  },
]

/** The text of a faulty client, made from the sound one. */
export function faultyText(sound: string, { about, edits }: FaultyClient): Result<string, string> {
  let text = sound
  for (const { replace, by } of edits) {
    if (!text.includes(replace))
      return err(`the client that ${about} does not fit client.mjs: '${replace}' is not there`)
    text = text.replace(replace, () => by)
  }
  return ok(text)
}
