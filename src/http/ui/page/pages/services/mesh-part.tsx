import { byName } from '../../api/by-name.ts'
import type { Instance, NodeOverview } from '../../api/catalog-shapes.ts'
import { pathOf } from '../../api/client.ts'
import type { Intention } from '../../api/intention-shapes.ts'
import { commandLine, withOperands } from '../../explain/command-line.ts'
import { topologyOf, upstreamsOf } from '../../explain/topology.ts'
import { useLive } from '../../live/use-live.ts'
import { Command } from '../../parts/command.tsx'
import { Shown } from '../../parts/page-frame.tsx'
import { Table } from '../../parts/table.tsx'
import { hashOf, hrefOf } from '../../place/place.ts'
import { serviceWords as words } from '../../words/service-words.ts'
import { TopologyPicture } from './topology-picture.tsx'

/** What a service is in the mesh: its proxies, upstreams and intentions, and a picture of its neighbours. */
export function MeshPart({ name }: { readonly name: string }) {
  const proxies = useLive<readonly Instance[]>(`/v1/health/connect${pathOf(name)}`)
  const filter = `Services.Proxy.Upstreams.DestinationName == ${JSON.stringify(name)}`
  const others = useLive<readonly NodeOverview[]>('/v1/internal/ui/nodes', { filter })
  const matching = useLive<Readonly<Record<string, readonly Intention[] | null>>>('/v1/connect/intentions/match', {
    by: 'destination',
    name,
  })
  return (
    <section aria-labelledby="mesh">
      <h2 id="mesh">{words.mesh}</h2>
      <Shown live={proxies} needs={words.needsOf(name)}>
        {(instances) => (
          <>
            <TopologyPicture name={name} topology={topologyOf(name, instances, others.value ?? [])} />
            <Proxies instances={instances} />
          </>
        )}
      </Shown>
      <Shown live={matching} needs={`intention:read ${name}`}>
        {(found) => <Matching name={name} intentions={byName(found, name) ?? []} />}
      </Shown>
    </section>
  )
}

function Proxies({ instances }: { readonly instances: readonly Instance[] }) {
  const upstreams = instances.flatMap(({ Service }) =>
    upstreamsOf(Service).map((upstream) => ({ proxy: Service.ID, ...upstream })),
  )
  return (
    <>
      <Table
        caption={words.proxies}
        rows={instances}
        keyOf={({ Node, Service }) => `${Node.Node} ${Service.ID}`}
        empty={words.noProxies}
        columns={[
          { head: words.instance, cell: ({ Service: { ID } }) => ID },
          { head: words.kind, cell: ({ Service: { Kind } }) => Kind ?? '' },
          { head: words.node, cell: ({ Node }) => <a href={hrefOf('nodes', Node.Node)}>{Node.Node}</a> },
          {
            head: words.address,
            cell: ({ Node, Service }) => <code>{`${Service.Address || Node.Address}:${Service.Port}`}</code>,
          },
        ]}
      />
      {instances.length > 0 && (
        <Table
          caption={words.upstreams}
          rows={upstreams}
          keyOf={({ proxy, DestinationName, LocalBindPort }) => `${proxy} ${DestinationName} ${LocalBindPort}`}
          empty={words.noUpstreams}
          columns={[
            {
              head: words.service,
              cell: (each) => <a href={hrefOf('services', each.DestinationName)}>{each.DestinationName}</a>,
            },
            { head: words.instance, cell: ({ proxy }) => proxy },
            { head: words.localPort, cell: ({ LocalBindPort }) => LocalBindPort ?? '', class: 'number' },
          ]}
        />
      )}
    </>
  )
}

function Matching({ name, intentions }: { readonly name: string; readonly intentions: readonly Intention[] }) {
  return (
    <>
      <Table
        caption={words.intentions}
        rows={intentions}
        keyOf={({ ID }) => ID}
        empty={words.noMatchingIntention}
        columns={[
          {
            head: words.source,
            cell: ({ ID, SourceName }) => <a href={hrefOf('intentions', 'edit', ID)}>{SourceName}</a>,
          },
          { head: words.action, cell: ({ Action }) => <span class={`action ${Action}`}>{Action}</span> },
          { head: words.precedence, cell: ({ Precedence }) => Precedence, class: 'number' },
        ]}
      />
      <p>
        <a href={hashOf({ path: ['intentions'], query: { to: name } })}>{words.newIntention(name)}</a>
      </p>
      <Command line={withOperands(commandLine('intention match'), name)} />
    </>
  )
}
