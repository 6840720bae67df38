import { err, ok, type Result } from '../../src/base/result.ts'
import { type Patch, patchedFiles } from './patch.ts'
import type { Workshop } from './workshop.ts'

/** The module that a student of the second project mends. */
export const sessionDutyFile = 'src/features/session/duty.js'

/** Its mistakes: a renewal moves no deadline, and a new leader does not time the sessions that it finds. */
const patches: readonly Patch[] = [
  {
    file: sessionDutyFile,
    find: 'for (const session of allSessions(server.read()))\n            this.extend(session);',
    replace: 'this.measure();',
  },
  {
    file: sessionDutyFile,
    find: 'this.#deadlines.set(id, atMs);\n        if (isNew)\n            this.#alarm({ id, atMs });',
    replace:
      'if (isNew) {\n            this.#deadlines.set(id, atMs);\n            this.#alarm({ id, atMs });\n        }',
  },
]

/** The text of the module with both mistakes. */
export function spoiledModule({ read }: Pick<Workshop, 'read'>): Result<string, string> {
  const texts = patchedFiles('the second project', patches, read)
  if (!texts.ok) return texts
  const text = texts.value.get(sessionDutyFile)
  return text === undefined
    ? err(`${sessionDutyFile} is not there`)
    : ok(text.replace(/\n\/\/# sourceMappingURL=.*\s*$/, '\n'))
}
