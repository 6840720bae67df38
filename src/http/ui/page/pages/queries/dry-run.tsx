import { useState } from 'preact/hooks'
import type { QueryDefinition, QueryResult } from '../../api/access-shapes.ts'
import { pathOf } from '../../api/client.ts'
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
}

export interface DryRunProps {
  readonly name: string
  /** Names to choose from. */
  readonly known?: readonly string[] | undefined
}

/** Executes a query as a program would, and says which query answers and what it finds. */
export function DryRun({ name: given, known }: DryRunProps) {
  const { client } = useCaller()
  const act = useAct()
  const [name, setName] = useState(given)
  const [run, setRun] = useOfCaller<Run>()
  const send = async (): Promise<void> => {
    const path = `/v1/query${pathOf(name)}`
    const answer = await act.send<QueryResult>({ path: `${path}/execute` }, '', {
      written: async (result) => {
        // A caller may execute what it may not read, so the second question may fail.
        const explained = await client.ask<{ readonly Query: QueryDefinition }>({ path: `${path}/explain` })
        setRun({ result, query: explained.ok ? explained.value.Query : undefined })
      },
    })
    if (!answer.ok) setRun(undefined)
  }
  return (
    <>
      <Form title={words.dryRun} act={act} needs={words.needsRead(name)} submit={words.run} send={() => void send()}>
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

function Found({ run: { query, result } }: { readonly run: Run }) {
  const nodes = result.Nodes ?? []
  return (
    <div class="verdict" role="status">
      {query !== undefined && <p>{words.answeredBy(query.Name === '' ? query.ID : query.Name, result.Service)}</p>}
      <p>{nodes.length === 0 ? words.foundNone : words.found(nodes.length, result.Datacenter, result.Failovers)}</p>
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
