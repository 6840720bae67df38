import { useState } from 'preact/hooks'
import type { Client } from '../api/client.ts'
import { useCaller } from './context.ts'

/**
 * State that was read or written with the token and in the datacenter of now: with others it is undefined. What an answer
 * sets that was asked for with a former token is never shown.
 */
export function useOfCaller<T>(): readonly [T | undefined, (value: T | undefined) => void] {
  const { client } = useCaller()
  const [kept, setKept] = useState<{ readonly by: Client; readonly value: T | undefined }>()
  return [kept?.by === client ? kept.value : undefined, (value) => setKept({ by: client, value })]
}
