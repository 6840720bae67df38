import type { Policy } from '../../api/access-shapes.ts'
import { CheckField } from '../../forms/fields.tsx'
import { useLive } from '../../live/use-live.ts'
import { Shown } from '../../parts/page-frame.tsx'
import { accessWords as words } from '../../words/access-words.ts'

export interface PolicyChoiceProps {
  readonly chosen: readonly string[]
  choose(ids: readonly string[]): void
}

/** The policies of a token. */
export function PolicyChoice({ chosen, choose }: PolicyChoiceProps) {
  const live = useLive<readonly Policy[]>('/v1/acl/policies')
  return (
    <Shown live={live} needs={words.needsRead}>
      {(policies) =>
        policies.length === 0 ? (
          <p>{words.noPolicies}</p>
        ) : (
          <fieldset class="wide">
            <legend>{words.policies}</legend>
            {policies.map(({ ID, Name }) => (
              <CheckField
                key={ID}
                label={Name}
                checked={chosen.includes(ID)}
                set={(checked) => choose(checked ? [...chosen, ID] : chosen.filter((each) => each !== ID))}
              />
            ))}
          </fieldset>
        )
      }
    </Shown>
  )
}
