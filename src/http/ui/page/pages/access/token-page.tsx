import { useState } from 'preact/hooks'
import type { Token } from '../../api/access-shapes.ts'
import { pathOf } from '../../api/client.ts'
import { Confirm, Result } from '../../forms/form.tsx'
import { useAct } from '../../forms/use-act.ts'
import { useLive } from '../../live/use-live.ts'
import { Command } from '../../parts/command.tsx'
import { Facts } from '../../parts/facts.tsx'
import { PageHead, Shown } from '../../parts/page-frame.tsx'
import { accessWords as words } from '../../words/access-words.ts'
import { PolicyLinks } from './access-page.tsx'
import { TokenForm } from './token-form.tsx'

export function TokenPage({ accessor }: { readonly accessor: string }) {
  const live = useLive<Token>(`/v1/acl/token${pathOf(accessor)}`)
  return (
    <>
      <PageHead title={words.token} />
      <Shown live={live} needs={words.needsRead} absent={words.absentToken} isOfAccess>
        {(token) => <Open token={token} />}
      </Shown>
      <Command line={`acl token read -id=${accessor}`} />
    </>
  )
}

function Open({ token }: { readonly token: Token }) {
  const act = useAct()
  const [revealed, setRevealed] = useState(false)
  const path = `/v1/acl/token${pathOf(token.AccessorID)}`
  const clone = async (): Promise<void> => {
    const body = { Description: token.Description }
    const answer = await act.send<Token>({ method: 'PUT', path: `${path}/clone`, body }, '')
    if (answer.ok) act.say(words.cloned(answer.value.AccessorID))
  }
  return (
    <>
      <Facts
        rows={[
          [words.accessor, <code key="accessor">{token.AccessorID}</code>],
          [
            words.secret,
            revealed ? (
              <code key="secret">{token.SecretID}</code>
            ) : (
              <Reveal key="reveal" reveal={() => setRevealed(true)} />
            ),
          ],
          [words.description, token.Description],
          [words.policies, <PolicyLinks key="policies" token={token} />],
          [words.kind, token.Local ? words.local : words.global],
          [words.created, token.CreateTime],
          [words.rules, token.Rules],
        ]}
      />
      <TokenForm key={token.Hash} token={token} />
      <div class="actions">
        <button type="button" disabled={act.busy} onClick={() => void clone()}>
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
