import { describe, expect, it } from 'vitest'
import { cumulativePlot, type Plot } from '../../../sim/studies/cumulative-plot.ts'
import { Distribution } from '../../../sim/studies/distribution.ts'
import { svgDocument } from '../../../sim/studies/drawing.ts'

const plot: Plot = {
  title: 'A < B & C',
  axis: 'ms',
  scale: 'linear',
  from: 0,
  to: 100,
  ticks: [0, 50, 100],
  lines: [{ name: 'one', values: new Distribution([0, 50, 100, 400]) }],
  marks: [
    { name: 'theirs', value: 50, percent: 50, line: 'one' },
    { name: 'their mean', value: 25, percent: undefined, line: 'one' },
  ],
}

function pointsOf(svg: string): (readonly [number, number])[] {
  const points = /<polyline points="([^"]*)"/.exec(svg)?.[1] ?? ''
  return points.split(' ').map((point) => {
    const [x, y] = point.split(',').map(Number)
    return [x ?? Number.NaN, y ?? Number.NaN]
  })
}

describe('cumulative plots', () => {
  it('rise from nothing to all, from left to right, and keep to the axes', () => {
    const points = pointsOf(cumulativePlot(plot).join('\n'))
    expect(points).toHaveLength(201)
    for (const [index, [x, y]] of points.entries()) {
      const [beforeX, beforeY] = points[index - 1] ?? [x, y]
      expect(x).toBeGreaterThanOrEqual(beforeX)
      expect(y).toBeLessThanOrEqual(beforeY)
    }
    expect([points[0], points[50], points[100], points[150], points[200]]).toEqual([
      [64, 324],
      [64, 254],
      [337, 184],
      [610, 114],
      [610, 44],
    ])
  })

  it('lay a decade of a logarithmic axis as wide as the next', () => {
    const values = new Distribution([10, 100, 1000])
    const log: Plot = { ...plot, scale: 'logarithmic', from: 10, to: 1000, lines: [{ name: 'one', values }] }
    const points = pointsOf(cumulativePlot(log).join('\n'))
    expect([...new Set(points.map(([x]) => x))]).toEqual([64, 337, 610])
  })

  it('escape what would end the markup, and need nothing from outside', () => {
    const svg = svgDocument({ description: 'test', plots: [plot, plot].map(cumulativePlot) })
    expect(svg).toContain('A &lt; B &amp; C')
    expect(svg).not.toMatch(/href|url\(|<script|<style/)
    expect(svg.match(/<g /g)).toHaveLength(2)
  })

  it('mark the figures of others on the line that they belong to', () => {
    const svg = cumulativePlot(plot).join('\n')
    expect(svg).toContain('<circle cx="337" cy="184"')
    expect(svg).toContain('>their mean</text>')
  })
})
