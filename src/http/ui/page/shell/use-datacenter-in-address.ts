import { useEffect, useRef } from 'preact/hooks'
import type { Place } from '../place/place.ts'

/** The name in the part of an address behind `?`. */
export const datacenterField = 'dc'

/** What makes the address and the page agree on the datacenter. `isNew`: the operator has opened another address. */
export function agreement(place: Place, datacenter: string, isNew: boolean): 'agree' | 'choose' | 'write' {
  const told = place.query[datacenterField]
  if ((told ?? '') === datacenter) return 'agree'
  return isNew && told !== undefined ? 'choose' : 'write'
}

/**
 * Keeps the datacenter in the address, so that a link shows the same one to a colleague. An address that names one chooses
 * it; other addresses, such as the links of the page, get the one that is chosen.
 */
export function useDatacenterInAddress(
  place: Place,
  datacenter: string,
  choose: (datacenter: string) => void,
  write: (datacenter: string) => void,
): void {
  const last = useRef<Place>(place)
  useEffect(() => {
    const told = place.query[datacenterField] ?? ''
    const next = agreement(place, datacenter, last.current !== place)
    last.current = place
    if (next === 'choose') choose(told)
    else if (next === 'write') write(datacenter)
  }, [place, datacenter])
}
