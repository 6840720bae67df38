import type { Instance } from '../../api/catalog-shapes.ts'
import { outputOf } from '../../explain/drain.ts'
import type { HealthReasons } from '../../explain/health.ts'
import { useCaller } from '../../live/context.ts'
import { checkKey } from '../../live/happenings.ts'
import { Command } from '../../parts/command.tsx'
import { Moment } from '../../parts/moment.tsx'
import { StatusMark } from '../../parts/status.tsx'
import { hrefOf } from '../../place/place.ts'
import { serviceWords as words } from '../../words/service-words.ts'
import { Output } from './check-table.tsx'

export interface ReasonsProps extends HealthReasons {
  readonly instance: Instance
}

/** Why one instance is not passing: which check, since when, its output, and what clients notice. */
export function Reasons({ instance, status, reasons, effect }: ReasonsProps) {
  const { ring } = useCaller()
  return (
    <article class={`reasons ${status}`}>
      <h3>
        <StatusMark status={status} /> {instance.Service.ID}{' '}
        <a href={hrefOf('nodes', instance.Node.Node)}>{instance.Node.Node}</a>
      </h3>
      <p>{effect}</p>
      {reasons.map(({ check, text, command }) => {
        const seenMs = ring.lastOf(checkKey(check))
        return (
          <div key={check.CheckID} class="reason">
            <p>
              {text} {seenMs === undefined ? words.sinceUnknown(check.ModifyIndex) : <Since ms={seenMs} />}
            </p>
            <Output text={outputOf(check)} />
            <Command line={command} />
          </div>
        )
      })}
    </article>
  )
}

function Since({ ms }: { readonly ms: number }) {
  return (
    <>
      {words.since} <Moment ms={ms} />.
    </>
  )
}
