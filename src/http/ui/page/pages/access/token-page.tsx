import { useState } from 'preact/hooks'
import type { Token } from '../../api/access-shapes.ts'
import { pathOf } from '../../api/client.ts'
import { commandLine } from '../../explain/command-line.ts'
import { Confirm, Result } from '../../forms/form.tsx'
import { useAct } from '../../forms/use-act.ts'
import { useLive } from '../../live/use-live.ts'
import { useOfCaller } from '../../live/use-of-caller.ts'
import { Command } from '../../parts/command.tsx'
import { Secret } from '../../parts/copy-button.tsx'
import { Facts } from '../../parts/facts.tsx'
import { PageHead, Shown } from '../../parts/page-frame.tsx'
import { hrefOf } from '../../place/place.ts'
import { accessWords as words } from '../../words/access-words.ts'
import { isLegacy, kindOf, PolicyLinks } from './access-page.tsx'
import { TokenForm, type TokenFormProps } from './token-form.tsx'

export function TokenPage({ accessor }: { readonly accessor: string }) {
  const live = useLive<Token>(`/v1/acl/token${pathOf(accessor)}`)
  return (
    <>
      <PageHead title={words.token} />
      <Shown live={live} needs={words.needsRead} absent={words.absentToken} isOfAccess>
        {(token) => <Open token={token} reread={live.reread} />}
      </Shown>
      <Command line={commandLine('acl token read', `-id=${accessor}`)} />
    </>
  )
}

function Open({ token, reread }: TokenFormProps) {
  const act = useAct()
  const [revealed, setRevealed] = useState(false)
  const [made, setClone] = useOfCaller<Token>()
  const path = `/v1/acl/token${pathOf(token.AccessorID)}`
  const clone = (): void => {
    const body = { Description: token.Description }
    void act.send<Token>({ method: 'PUT', path: `${path}/clone`, body }, '', { written: setClone })
  }
  return (
    <>
      <Facts
        rows={[
          [words.accessor, <code key="accessor">{token.AccessorID}</code>],
          [
            words.secret,
            revealed ? (
              <Secret key="secret" text={token.SecretID} />
            ) : (
              <Reveal key="reveal" reveal={() => setRevealed(true)} />
            ),
          ],
          [words.description, token.Description],
          [words.policies, <PolicyLinks key="policies" token={token} />],
          [words.kind, kindOf(token)],
          // Legacy tokens have no time.
          [words.created, token.CreateTime.startsWith('0001-') ? '' : token.CreateTime],
          [words.rules, token.Rules],
        ]}
      />
      {isLegacy(token) && <p class="warning">{words.legacyAbout}</p>}
      <TokenForm token={token} reread={reread} />
      <div class="actions">
        <button type="button" disabled={act.busy} onClick={clone}>
          {words.clone}
        </button>
        <Confirm
          label={words.remove}
          question={words.removeToken}
          busy={act.busy}
          act={() => void act.send({ method: 'DELETE', path }, words.removedToken)}
        />
      </div>
      <Result act={act} needs={words.needsWrite} />
      {made !== undefined && (
        <p role="status" class="done">
          {words.cloned} <a href={hrefOf('access', 'token', made.AccessorID)}>{made.AccessorID}</a>
        </p>
      )}
    </>
  )
}

function Reveal({ reveal }: { reveal(): void }) {
  return (
    <button type="button" class="small" onClick={reveal}>
      {words.reveal}
    </button>
  )
}
