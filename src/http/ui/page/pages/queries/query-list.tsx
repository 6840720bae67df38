import { useState } from 'preact/hooks'
import type { QueryDefinition } from '../../api/access-shapes.ts'
import { useLive } from '../../live/use-live.ts'
import { Request } from '../../parts/command.tsx'
import { PageHead, Shown } from '../../parts/page-frame.tsx'
import { Table } from '../../parts/table.tsx'
import { hrefOf } from '../../place/place.ts'
import { queryWords as words } from '../../words/access-words.ts'
import { DryRun } from './dry-run.tsx'
import { NewQuery } from './query-form.tsx'

export function QueryList() {
  const live = useLive<readonly QueryDefinition[]>('/v1/query')
  const [wish, setWish] = useState<{ readonly name: string }>()
  return (
    <>
      <PageHead title={words.title} />
      <p>{words.about}</p>
      <Shown live={live} needs={words.needsRead('')}>
        {(queries) => (
          <Table
            caption={words.title}
            rows={queries ?? []}
            keyOf={({ ID }) => ID}
            empty={words.none}
            columns={[
              {
                head: words.name,
                cell: ({ ID, Name }) => <a href={hrefOf('queries', ID)}>{Name === '' ? ID : Name}</a>,
              },
              {
                head: words.service,
                cell: ({ Service }) => <a href={hrefOf('services', Service.Service)}>{Service.Service}</a>,
              },
              { head: words.failover, cell: failoverText },
              {
                head: words.actions,
                cell: ({ ID, Name }) => <RunButton name={Name === '' ? ID : Name} run={setWish} />,
              },
            ]}
          />
        )}
      </Shown>
      <DryRun name="" wish={wish} known={(live.value ?? []).map(({ Name }) => Name).filter((name) => name !== '')} />
      <NewQuery />
      <Request path="/v1/query" />
    </>
  )
}

interface RunButtonProps {
  readonly name: string
  run(wish: { readonly name: string }): void
}

function RunButton({ name, run }: RunButtonProps) {
  return (
    <button type="button" class="small" aria-label={words.runOf(name)} onClick={() => run({ name })}>
      {words.dryRun}
    </button>
  )
}

function failoverText({ Service: { Failover } }: QueryDefinition): string {
  const nearest = Failover.NearestN > 0 ? [words.nearest(Failover.NearestN)] : []
  return [...nearest, ...(Failover.Datacenters ?? [])].join(', ')
}
