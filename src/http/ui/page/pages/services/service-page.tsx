import type { Instance } from '../../api/catalog-shapes.ts'
import { pathOf } from '../../api/client.ts'
import { commandLine } from '../../explain/command-line.ts'
import { healthReasons, worstOf } from '../../explain/health.ts'
import { useLive } from '../../live/use-live.ts'
import { type OwnAgent, useOwnAgent } from '../../live/use-own-agent.ts'
import { Command } from '../../parts/command.tsx'
import { Empty } from '../../parts/empty.tsx'
import { Pairs } from '../../parts/facts.tsx'
import { PageHead, Shown } from '../../parts/page-frame.tsx'
import { StatusMark } from '../../parts/status.tsx'
import { Table } from '../../parts/table.tsx'
import { hrefOf } from '../../place/place.ts'
import { serviceWords as words } from '../../words/service-words.ts'
import { CheckTable } from './check-table.tsx'
import { Maintenance } from './maintenance.tsx'
import { MeshPart } from './mesh-part.tsx'
import { Reasons } from './reasons.tsx'

export function ServicePage({ name }: { readonly name: string }) {
  const live = useLive<readonly Instance[]>(`/v1/health/service${pathOf(name)}`)
  return (
    <>
      <PageHead title={`${words.service} ${name}`} />
      <Shown live={live} needs={words.needsOf(name)}>
        {(instances) => (instances.length === 0 ? <Empty text={words.absent} /> : <Service instances={instances} />)}
      </Shown>
      {live.value?.length !== 0 && <MeshPart name={name} />}
      <Command line={commandLine('watch', '-type=service', `-service=${name}`)} />
    </>
  )
}

function Service({ instances }: { readonly instances: readonly Instance[] }) {
  const own = useOwnAgent()
  const onlyPassing = own.self?.DebugConfig['DNSOnlyPassing'] === true
  const explained = instances.map((instance) => ({ instance, ...healthReasons(instance, onlyPassing) }))
  const failing = explained.filter(({ status }) => status !== 'passing')
  return (
    <>
      <section aria-labelledby="why">
        <h2 id="why">{words.notPassing}</h2>
        {failing.length === 0 && <p>{words.allPassing}</p>}
        {failing.slice(0, explainedMax).map((each) => (
          <Reasons key={idOf(each.instance)} {...each} />
        ))}
      </section>
      <Instances instances={instances} own={own} />
      <CheckTable checks={checksOf(instances)} />
    </>
  )
}

const explainedMax = 20

interface InstancesProps {
  readonly instances: readonly Instance[]
  readonly own: OwnAgent
}

function Instances({ instances, own }: InstancesProps) {
  return (
    <Table
      caption={words.instances}
      rows={instances}
      keyOf={idOf}
      columns={[
        { head: words.instance, cell: ({ Service: { ID } }) => ID },
        { head: words.status, cell: ({ Checks }) => <StatusMark status={worstOf(Checks)} /> },
        { head: words.node, cell: ({ Node }) => <a href={hrefOf('nodes', Node.Node)}>{Node.Node}</a> },
        { head: words.address, cell: (each) => <code>{addressOf(each)}</code> },
        { head: words.tags, cell: ({ Service: { Tags } }) => (Tags ?? []).map((tag) => <code key={tag}>{tag}</code>) },
        { head: words.weights, cell: weightsOf },
        { head: words.metadata, cell: ({ Service: { Meta } }) => <Pairs pairs={Meta} /> },
        { head: words.actions, cell: (each) => <Maintenance instance={each} own={own} /> },
      ]}
    />
  )
}

function weightsOf({ Service: { Weights } }: Instance): string {
  return Weights === undefined ? '' : words.weightsText(Weights.Passing, Weights.Warning)
}

function idOf({ Node, Service: { ID } }: Instance): string {
  return `${Node.Node} ${ID}`
}

function addressOf({ Node, Service: { Address, Port } }: Instance): string {
  const host = Address === '' ? Node.Address : Address
  if (Port === 0) return host
  return host.includes(':') ? `[${host}]:${Port}` : `${host}:${Port}`
}

/** A check of a node belongs to each of its instances, and is shown once. */
function checksOf(instances: readonly Instance[]) {
  const all = instances.flatMap(({ Checks }) => Checks ?? [])
  return [...new Map(all.map((check) => [`${check.Node} ${check.CheckID}`, check])).values()]
}
