import { err } from '../../../base/result.ts'
import type { ProviderFailure } from './provider.ts'

export function refused(message: string): { readonly ok: false; readonly error: ProviderFailure } {
  return err({ kind: 'refused', message })
}

export function unavailable(message: string): { readonly ok: false; readonly error: ProviderFailure } {
  return err({ kind: 'unavailable', message })
}
