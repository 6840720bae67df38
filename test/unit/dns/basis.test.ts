import { expect, it } from 'vitest'
import { Basis } from '../../../src/dns/kept-answers.ts'

it('an answer stands as long as it is asked for with the token that it was made with', () => {
  let token = 'one'
  const basis = new Basis(() => token === 'one')
  expect(basis.now(0)).toEqual([])
  token = 'other'
  expect(basis.now(0)).toBeUndefined()
})
