import type { ValueWriter } from './value-writer.ts'

export function textField(to: ValueWriter, key: string, value: string): void {
  to.text(key)
  to.text(value)
}

export function numberField(to: ValueWriter, key: string, value: number): void {
  to.text(key)
  to.uint(value)
}

export function rawField(to: ValueWriter, key: string, value: Uint8Array): void {
  to.text(key)
  to.raw(value)
}

/** Bytes of which none are a nil, as an absent slice of bytes is in the field. */
export function bytesField(to: ValueWriter, key: string, value: Uint8Array): void {
  to.text(key)
  if (value.length === 0) to.nil()
  else to.raw(value)
}
