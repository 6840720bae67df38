import { useEffect, useRef, useState } from 'preact/hooks'
import type { QueryDefinition, QueryResult } from '../../api/access-shapes.ts'
import type { Instance } from '../../api/catalog-shapes.ts'
import { type Client, pathOf } from '../../api/client.ts'
import { worstOf } from '../../explain/health.ts'
import { TextField } from '../../forms/fields.tsx'
import { Form } from '../../forms/form.tsx'
import { useAct } from '../../forms/use-act.ts'
import { useCaller } from '../../live/context.ts'
import { useOfCaller } from '../../live/use-of-caller.ts'
import { Request } from '../../parts/command.tsx'
import { StatusMark } from '../../parts/status.tsx'
import { Table } from '../../parts/table.tsx'
import { hrefOf } from '../../place/place.ts'
import { queryWords as words } from '../../words/access-words.ts'

interface Run {
  readonly query: QueryDefinition | undefined
  readonly result: QueryResult
  /** Instances of the service that were left out, because a check of theirs is critical. */
  readonly leftOut: readonly Instance[]
}

export interface DryRunProps {
  readonly name: string
  /** Names to choose from. */
  readonly known?: readonly string[] | undefined
  /** A wish to execute a query at once; another object is another wish. */
  readonly wish?: { readonly name: string } | undefined
}

/** Executes a query as a program would, and says which query answers and what it finds. */
export function DryRun({ name: given, known, wish }: DryRunProps) {
  const { client } = useCaller()
  const act = useAct()
  const [name, setName] = useState(given)
  const [run, setRun] = useOfCaller<Run>()
  const send = async (executed: string): Promise<void> => {
    const path = `/v1/query${pathOf(executed)}`
    const answer = await act.send<QueryResult>({ path: `${path}/execute` }, '', {
      written: async (result) => {
        // A caller may execute what it may not read, so the second question may fail.
        const explained = await client.ask<{ readonly Query: QueryDefinition }>({ path: `${path}/explain` })
        const query = explained.ok ? explained.value.Query : undefined
        setRun({ result, query, leftOut: await leftOutOf(client, query, result) })
      },
    })
    if (!answer.ok) setRun(undefined)
  }
  useEffect(() => {
    if (wish === undefined) return
    setName(wish.name)
    void send(wish.name)
  }, [wish])
  return (
    <>
      <Form
        title={words.dryRun}
        act={act}
        needs={words.needsRead(name)}
        submit={words.run}
        send={() => void send(name)}
      >
        <TextField
          label={words.dryRunName}
          hint={words.dryRunAbout}
          value={name}
          set={setName}
          required
          known={known}
        />
      </Form>
      {run !== undefined && <Found run={run} />}
      {name !== '' && <Request path={`/v1/query${pathOf(name)}/execute`} />}
    </>
  )
}

/** Critical instances, where the answer is of this datacenter, and the query asks for no tags. */
async function leftOutOf(
  client: Client,
  query: QueryDefinition | undefined,
  { Service, Failovers }: QueryResult,
): Promise<readonly Instance[]> {
  if (Failovers > 0 || query === undefined || (query.Service.Tags ?? []).length > 0) return []
  const all = await client.ask<readonly Instance[]>({ path: `/v1/health/service${pathOf(Service)}` })
  return all.ok ? all.value.filter(({ Checks }) => worstOf(Checks) === 'critical') : []
}

/** The answer. The focus goes there, wherever the button was. */
function Found({ run }: { readonly run: Run }) {
  const { query, result, leftOut } = run
  const answer = useRef<HTMLDivElement>(null)
  useEffect(() => answer.current?.focus(), [run])
  const nodes = result.Nodes ?? []
  return (
    <div class="verdict" role="status" tabIndex={-1} ref={answer}>
      {query !== undefined && <p>{words.answeredBy(query.Name === '' ? query.ID : query.Name, result.Service)}</p>}
      <p>{nodes.length === 0 ? words.foundNone : words.found(nodes.length, result.Datacenter, result.Failovers)}</p>
      {leftOut.length > 0 && (
        <p>{words.leftOut(leftOut.map(({ Service, Node }) => `${Service.ID} on ${Node.Node}`).join(', '))}</p>
      )}
      {nodes.length > 0 && (
        <Table
          caption={words.instances}
          rows={nodes}
          keyOf={({ Node, Service }) => `${Node.Node} ${Service.ID}`}
          columns={[
            { head: words.instance, cell: ({ Service }) => Service.ID },
            { head: words.node, cell: ({ Node }) => <a href={hrefOf('nodes', Node.Node)}>{Node.Node}</a> },
            { head: words.status, cell: ({ Checks }) => <StatusMark status={worstOf(Checks)} /> },
          ]}
        />
      )}
    </div>
  )
}
