import type { Intention } from '../../api/intention-shapes.ts'
import { commandLine, withOperands } from '../../explain/command-line.ts'
import { useLive } from '../../live/use-live.ts'
import { Command } from '../../parts/command.tsx'
import { PageHead, Shown } from '../../parts/page-frame.tsx'
import { Table } from '../../parts/table.tsx'
import { hrefOf } from '../../place/place.ts'
import { intentionWords as words } from '../../words/mesh-words.ts'
import { DecisionForm } from './decision-form.tsx'
import { NewIntention } from './intention-form.tsx'

export function IntentionList() {
  const live = useLive<readonly Intention[]>('/v1/connect/intentions')
  return (
    <>
      <PageHead title={words.title} />
      <p>{words.about}</p>
      <Shown live={live} needs={words.needsRead('')}>
        {(intentions) => (
          <Table
            caption={words.title}
            rows={intentions ?? []}
            keyOf={({ ID }) => ID}
            empty={words.none}
            columns={[
              {
                head: words.intention,
                cell: (each) => (
                  <a href={hrefOf('intentions', 'edit', each.ID)}>{`${each.SourceName} → ${each.DestinationName}`}</a>
                ),
              },
              { head: words.action, cell: ({ Action }) => <span class={`action ${Action}`}>{Action}</span> },
              { head: words.precedence, cell: ({ Precedence }) => Precedence, class: 'number' },
              { head: words.description, cell: ({ Description }) => Description },
            ]}
          />
        )}
      </Shown>
      <DecisionForm />
      <NewIntention />
      <Command line={withOperands(commandLine('intention match'), 'NAME')} />
    </>
  )
}
