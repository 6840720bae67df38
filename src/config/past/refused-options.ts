import { InvariantViolation } from '../../base/invariant.ts'
import { isAtLeast, parseRelease, type Release } from '../../model/release.ts'
import { type RemovedOption, removedOptions } from './removed.ts'

export interface RefusedOption extends Omit<RemovedOption, 'since'> {
  readonly since: Release
}

/** What a configuration may have had at the one release, and is refused for at the other. */
export function optionsRefusedBetween(from: Release, to: Release): readonly RefusedOption[] {
  return refusedOptions().filter(({ since }) => !isAtLeast(from, since) && isAtLeast(to, since))
}

export function refusedOptions(): readonly RefusedOption[] {
  return removedOptions().map((option) => {
    const since = parseRelease(option.since) ?? parseRelease(`${option.since}.0`)
    if (since === undefined) throw new InvariantViolation('an option is refused since no release', { ...option })
    return { ...option, since }
  })
}

/** As an operator would look for it. */
export function optionText({ kind, name }: Pick<RefusedOption, 'kind' | 'name'>): string {
  return kind === 'flag' ? `-${name}` : `${kind === 'key' ? '' : `${kind} `}${name}`
}
