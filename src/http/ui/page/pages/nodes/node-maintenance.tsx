import { useState } from 'preact/hooks'
import type { NodeOverview } from '../../api/catalog-shapes.ts'
import { commandLine } from '../../explain/command-line.ts'
import { drainedBy, isInMaintenance } from '../../explain/drain.ts'
import { TextField } from '../../forms/fields.tsx'
import { Confirm, Result } from '../../forms/form.tsx'
import { type Act, useAct } from '../../forms/use-act.ts'
import { useLive } from '../../live/use-live.ts'
import { isOwnNode, useOwnAgent } from '../../live/use-own-agent.ts'
import { Command } from '../../parts/command.tsx'
import { serviceWords, nodeWords as words } from '../../words/service-words.ts'

/** Takes a whole node out of answers, and puts it back. Only its own agent can. */
export function NodeMaintenance({ node }: { readonly node: NodeOverview }) {
  const act = useAct()
  const own = useOwnAgent()
  const isIn = isInMaintenance(node)
  const command = <Command line={commandLine('maint', isIn ? '-disable' : '-enable')} />
  if (!isOwnNode(own, node.Node)) {
    return (
      <details open={isIn}>
        <summary>{isIn ? words.isInMaintenance : words.howToDrain}</summary>
        <p>{isIn ? words.endElsewhere(node.Node) : words.elsewhere(node.Node)}</p>
        {command}
      </details>
    )
  }
  const end = (): void =>
    void act.send(
      { method: 'PUT', path: '/v1/agent/maintenance', query: { enable: 'false' } },
      serviceWords.unmaintained,
    )
  return (
    <>
      {isIn ? (
        <button type="button" disabled={act.busy} onClick={end}>
          {serviceWords.unmaintain}
        </button>
      ) : (
        <Drain node={node} act={act} />
      )}
      <Result act={act} needs={`node:write ${node.Node}`} />
      {command}
    </>
  )
}

/** One button for all services of the node. It asks once more, and says how many healthy instances each service keeps. */
function Drain({ node, act }: { readonly node: NodeOverview; readonly act: Act }) {
  const [reason, setReason] = useState('')
  const drain = (): void => {
    const query = { enable: 'true', reason: reason === '' ? serviceWords.maintainReason : reason }
    void act.send({ method: 'PUT', path: '/v1/agent/maintenance', query }, words.maintained)
  }
  return (
    <Confirm label={words.maintain} question={words.maintainQuestion(node.Node)} busy={act.busy} act={drain}>
      <WhatIsLeft node={node} />
      <TextField label={words.reason} hint={words.reasonHint} value={reason} set={setReason} />
    </Confirm>
  )
}

function WhatIsLeft({ node }: { readonly node: NodeOverview }) {
  const { value: nodes } = useLive<readonly NodeOverview[]>('/v1/internal/ui/nodes')
  const services = drainedBy(node, nodes ?? [])
  if (nodes === undefined || services.length === 0) return <p>{services.length === 0 && words.drainsNone}</p>
  return (
    <ul class="drained">
      {services.map(({ service, left }) => (
        <li key={service} class={left === 0 ? 'bad' : ''}>
          {words.left(service, left)}
        </li>
      ))}
    </ul>
  )
}
