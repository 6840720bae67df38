import type { CaForecast, CaRoot } from '../../api/cluster-shapes.ts'
import { commandLine } from '../../explain/command-line.ts'
import { rotationText } from '../../explain/rotation.ts'
import { useLive } from '../../live/use-live.ts'
import { Command } from '../../parts/command.tsx'
import { Facts } from '../../parts/facts.tsx'
import { PageHead, Shown } from '../../parts/page-frame.tsx'
import { ClockNote, ServerClock, ServerMoment, useAheadMs } from '../../parts/server-clock.tsx'
import { Table } from '../../parts/table.tsx'
import { authorityWords as words } from '../../words/mesh-words.ts'
import { AuthorityForm } from './authority-form.tsx'

export function AuthorityPage() {
  const forecast = useLive<CaForecast>('/v1/connect/ca/forecast')
  const roots = useLive<{ readonly Roots: readonly CaRoot[] | null }>('/v1/connect/ca/roots')
  return (
    <>
      <PageHead title={words.title} />
      <p>{words.about}</p>
      <Shown live={forecast} needs={words.needsRead}>
        {(told) => <Forecast forecast={told} />}
      </Shown>
      <Command line={commandLine('connect ca forecast')} />
      <Shown live={roots}>{({ Roots }) => <Pems roots={Roots ?? []} />}</Shown>
      <AuthorityForm />
    </>
  )
}

function Forecast({ forecast }: { readonly forecast: CaForecast }) {
  const { State, Problem, Provider, TrustDomain, LeafCertTTL, LeafExpires, Roots } = forecast
  const ms = useAheadMs(forecast.Now)
  return (
    <ServerClock value={ms}>
      <ClockNote now={forecast.Now} ms={ms} />
      <p role="status" class={State === 'degraded' ? 'bad' : ''}>
        <strong>{words.states[State]}</strong> {Problem}
      </p>
      <Facts
        rows={[
          [words.provider, Provider],
          [words.trustDomain, <code key="domain">{TrustDomain}</code>],
          [words.leafTtl, LeafCertTTL],
          [words.leafExpires, LeafExpires === '' ? '' : <ServerMoment key="leaf" text={LeafExpires} />],
        ]}
      />
      <Table
        caption={words.roots}
        rows={Roots}
        keyOf={({ ID }) => ID}
        columns={[
          { head: words.root, cell: ({ Name, ID }) => <RootName name={Name} id={ID} /> },
          { head: words.active, cell: ({ Active, Goes }) => <Signs active={Active} goes={Goes} /> },
          { head: words.expires, cell: ({ Expires }) => <ServerMoment text={Expires} /> },
          {
            head: words.leaves,
            cell: ({ Leaves }) =>
              Leaves.map((each) => (
                <div key={each.Datacenter}>
                  {each.Datacenter}: <ServerMoment text={each.Expires} />
                </div>
              )),
          },
        ]}
      />
      <RotationPart forecast={forecast} />
    </ServerClock>
  )
}

function Signs({ active, goes }: { readonly active: boolean; readonly goes: string }) {
  if (active || goes === '') return <>{active ? words.activeYes : words.activeNo}</>
  return (
    <>
      {words.activeUntil} <ServerMoment text={goes} />
    </>
  )
}

function RootName({ name, id }: { readonly name: string; readonly id: string }) {
  return (
    <>
      {name} <small class="faint">{id.slice(0, 17)}…</small>
    </>
  )
}

function RotationPart({ forecast }: { readonly forecast: CaForecast }) {
  const { Rotation, RotationNow: now } = forecast
  return (
    <section aria-labelledby="rotation">
      <h2 id="rotation">{words.rotation}</h2>
      <p>{rotationText(forecast) ?? words.noRotation}</p>
      {Rotation !== null && (
        <p>
          {words.startedAt}: <ServerMoment text={Rotation.Started} />
        </p>
      )}
      <h3>{words.now}</h3>
      <p>{now.Possible ? words.nowPossible : words.nowNot(now.Why)}</p>
      {now.Possible && (
        <Facts
          rows={[
            [
              words.oldGoes,
              now.OldRootGoes === '' ? words.oldGoesLast : <ServerMoment key="old" text={now.OldRootGoes} />,
            ],
            [words.holdUntil, <ServerMoment key="hold" text={now.LeavesHoldUntil} />],
          ]}
        />
      )}
    </section>
  )
}

function Pems({ roots }: { readonly roots: readonly CaRoot[] }) {
  return (
    <>
      {roots.map(({ ID, Name, RootCert }) => (
        <details key={ID}>
          <summary>
            {words.certificate}: {Name}
          </summary>
          <pre>{RootCert}</pre>
        </details>
      ))}
    </>
  )
}
