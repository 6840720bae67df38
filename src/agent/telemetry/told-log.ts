import type { Fields, Log } from '../../env/observe.ts'
import { type Naming, svcNaming } from '../../model/naming/naming.ts'
import { toldUnder } from '../../model/naming/told.ts'

/** Fields whose text is the program's own. */
const ownFields = ['why', 'remedy', 'error'] as const

/**
 * The log of an agent with another naming: topics, clauses and explanations in the code are written under `svc`. Other
 * fields are values of callers, and stay.
 */
export function toldLog(naming: Naming, log: Log): Log {
  if (naming.name === svcNaming.name) return log
  return {
    enabled: (level) => log.enabled(level),
    follow: (level, use) => log.follow(level, use),
    write: (level, topic, text, fields, sampling) =>
      log.write(
        level,
        toldUnder(naming, topic),
        toldUnder(naming, text),
        fields && toldFields(naming, fields),
        sampling,
      ),
  }
}

function toldFields(naming: Naming, fields: Fields): Fields {
  const told = ownFields.flatMap((name) => {
    const value = fields[name]
    return typeof value === 'string' ? [[name, toldUnder(naming, value)] as const] : []
  })
  return told.length === 0 ? fields : { ...fields, ...Object.fromEntries(told) }
}
