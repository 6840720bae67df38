import type { QueryDefinition } from '../../api/access-shapes.ts'
import { pathOf } from '../../api/client.ts'
import { useLive } from '../../live/use-live.ts'
import { Request } from '../../parts/command.tsx'
import { PageHead, Shown } from '../../parts/page-frame.tsx'
import { queryWords as words } from '../../words/access-words.ts'
import { DryRun } from './dry-run.tsx'
import { QueryForm, type QueryFormProps } from './query-form.tsx'

export function QueryPage({ id }: { readonly id: string }) {
  const live = useLive<readonly QueryDefinition[]>(`/v1/query${pathOf(id)}`)
  return (
    <>
      <PageHead title={`${words.query} ${live.value?.[0]?.Name || id}`} />
      <Shown live={live} absent={words.absent}>
        {([query]) => query && <Open query={query} reread={live.reread} />}
      </Shown>
      <Request path={`/v1/query${pathOf(id)}`} />
    </>
  )
}

function Open({ query, reread }: QueryFormProps) {
  const name = query.Name === '' ? query.ID : query.Name
  return (
    <>
      <DryRun key={name} name={name} />
      <QueryForm query={query} reread={reread} />
    </>
  )
}
