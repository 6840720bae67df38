import type { Instance } from '../../api/catalog-shapes.ts'
import { pathOf } from '../../api/client.ts'
import { commandLine } from '../../explain/command-line.ts'
import { serviceMaintenance } from '../../explain/drain.ts'
import { Result } from '../../forms/form.tsx'
import { useAct } from '../../forms/use-act.ts'
import { isOwnNode, type OwnAgent } from '../../live/use-own-agent.ts'
import { Command } from '../../parts/command.tsx'
import { serviceWords as words } from '../../words/service-words.ts'

/** Takes one instance out of answers and puts it back. Only the agent on its node can. */
export function Maintenance({ instance, own }: { readonly instance: Instance; readonly own: OwnAgent }) {
  const act = useAct()
  const { Service, Node, Checks } = instance
  const isIn = (Checks ?? []).some(({ CheckID }) => CheckID === `${serviceMaintenance}${Service.ID}`)
  if (!isOwnNode(own, Node.Node)) {
    return (
      <details>
        <summary>{isIn ? words.howToEnd : words.howToMaintain}</summary>
        <p>{words.elsewhere(Node.Node)}</p>
        <Command line={commandLine('maint', isIn ? '-disable' : '-enable', `-service=${Service.ID}`)} />
      </details>
    )
  }
  const change = (): void => {
    const query = { enable: String(!isIn), ...(isIn ? {} : { reason: words.maintainReason }) }
    const path = `/v1/agent/service/maintenance${pathOf(Service.ID)}`
    void act.send({ method: 'PUT', path, query }, isIn ? words.unmaintained : words.maintained)
  }
  return (
    <>
      <button type="button" disabled={act.busy} onClick={change}>
        {isIn ? words.unmaintain : words.maintain}
      </button>
      <Result act={act} needs={`service:write ${Service.Service}`} />
    </>
  )
}
