import type { AccessStatus, Policy, Token } from '../../api/access-shapes.ts'
import { commandLine } from '../../explain/command-line.ts'
import { useCaller } from '../../live/context.ts'
import { type Live, useLive } from '../../live/use-live.ts'
import { useOwnToken } from '../../live/use-own-token.ts'
import { Command } from '../../parts/command.tsx'
import { Facts } from '../../parts/facts.tsx'
import { PageHead, Shown } from '../../parts/page-frame.tsx'
import { Table } from '../../parts/table.tsx'
import { hrefOf } from '../../place/place.ts'
import { accessWords as words } from '../../words/access-words.ts'
import { ExplainForm } from './explain-form.tsx'
import { FirstToken } from './first-token.tsx'
import { NewPolicy } from './policy-form.tsx'
import { NewToken } from './token-form.tsx'

export function AccessPage() {
  const status = useLive<AccessStatus>('/v1/acl/status')
  const { whose } = useOwnToken()
  const tokens = useLive<readonly Token[]>('/v1/acl/tokens')
  const isOff = status.failure?.kind === 'switched-off'
  return (
    <>
      <PageHead title={words.title} />
      <Shown live={status} needs={words.needsRead}>
        {(told) => <State status={told} />}
      </Shown>
      <Command line={commandLine('acl status')} />
      {!isOff && (
        <>
          <WhoYouAre />
          {(whose === undefined || whose === 'none') && tokens.failure?.kind === 'refused' && <FirstToken />}
          <Policies />
          <Tokens live={tokens} />
          <ExplainForm />
        </>
      )}
    </>
  )
}

function State({ status }: { readonly status: AccessStatus }) {
  const { Mode, NewSinceIndex, MissingServers, TokensLeft, MigratedTokens } = status
  return (
    <section aria-labelledby="state">
      <h2 id="state">{words.state}</h2>
      <p>{Mode === 'new' ? words.modeNew(NewSinceIndex) : words.modeLegacy}</p>
      {(MissingServers ?? []).map(({ Name, Datacenter, Why }) => (
        <p key={`${Datacenter} ${Name}`} class="warning">
          {words.waitsFor(Name, Datacenter, Why)}
        </p>
      ))}
      <p>{words.migration(TokensLeft, MigratedTokens)}</p>
    </section>
  )
}

function WhoYouAre() {
  const { client, askForToken } = useCaller()
  const { live, whose } = useOwnToken()
  const isGiven = client.caller.token !== ''
  return (
    <section aria-labelledby="you">
      <h2 id="you">{words.you}</h2>
      {whose === 'none' && <p>{words.youAnonymous}</p>}
      {whose === 'agent' && <p>{words.youAgent}</p>}
      {!isGiven && live.failure !== undefined && <p>{words.youUnknown}</p>}
      {(isGiven || whose === 'agent') && (
        <Shown live={live}>
          {(token) => (
            <Facts
              rows={[
                [words.token, words.youAre(token.Description, token.AccessorID)],
                [words.policies, <PolicyLinks key="policies" token={token} />],
              ]}
            />
          )}
        </Shown>
      )}
      <button type="button" onClick={askForToken}>
        {words.login}
      </button>
    </section>
  )
}

export function PolicyLinks({ token }: { readonly token: Token }) {
  return (
    <span class="pairs">
      {(token.Policies ?? []).map(({ ID, Name }) => (
        <a key={ID} href={hrefOf('access', 'policy', ID)}>
          {Name}{' '}
        </a>
      ))}
    </span>
  )
}

function Tokens({ live }: { readonly live: Live<readonly Token[]> }) {
  return (
    <section aria-labelledby="tokens">
      <h2 id="tokens">{words.tokens}</h2>
      <Shown live={live} needs={words.needsRead}>
        {(tokens) => (
          <>
            <Table
              caption={words.tokens}
              rows={tokens}
              keyOf={({ AccessorID }) => AccessorID}
              empty={words.noTokens}
              columns={[
                {
                  head: words.accessor,
                  cell: ({ AccessorID }) => <a href={hrefOf('access', 'token', AccessorID)}>{AccessorID}</a>,
                },
                { head: words.description, cell: ({ Description }) => Description },
                { head: words.policies, cell: (token) => <PolicyLinks token={token} /> },
                { head: words.kind, cell: kindOf },
              ]}
            />
            <NewToken />
          </>
        )}
      </Shown>
      <Command line={commandLine('acl token list')} />
    </section>
  )
}

export function kindOf(token: Token): string {
  return `${token.Local ? words.local : words.global}${isLegacy(token) ? `, ${words.legacy}` : ''}`
}

/** A list says it; of one token, its rules do. */
export function isLegacy({ Legacy, Rules = '' }: Token): boolean {
  return Legacy === true || Rules !== ''
}

function Policies() {
  const live = useLive<readonly Policy[]>('/v1/acl/policies')
  return (
    <section aria-labelledby="policies">
      <h2 id="policies">{words.policies}</h2>
      <Shown live={live} needs={words.needsRead}>
        {(policies) => (
          <>
            <Table
              caption={words.policies}
              rows={policies}
              keyOf={({ ID }) => ID}
              columns={[
                { head: words.policyName, cell: ({ ID, Name }) => <a href={hrefOf('access', 'policy', ID)}>{Name}</a> },
                { head: words.description, cell: ({ Description }) => Description },
              ]}
            />
            <NewPolicy />
          </>
        )}
      </Shown>
      <Command line={commandLine('acl policy list')} />
    </section>
  )
}
