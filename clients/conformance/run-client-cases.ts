import type { ClientCase } from './client-case.ts'
import { deliveringCases } from './client-cases/delivering.ts'
import { endingCases } from './client-cases/ending.ts'
import { leaseCases } from './client-cases/leases.ts'
import { openingCases } from './client-cases/opening.ts'
import { ClientProcess } from './client-process.ts'
import { FakeService, runtimeKey } from './fake-service.ts'
import { CaseFailure } from './wait-for.ts'

export const clientCases: readonly ClientCase[] = [...openingCases, ...deliveringCases, ...leaseCases, ...endingCases]

export interface CaseResult {
  title: string
  /** A description of the client's mistake, or `undefined` if the case passed. */
  fault: string | undefined
  output: string
  ms: number
}

/** Cases spend most of their time waiting, so several run in parallel. */
const atOnce = 4

/** Runs the cases against a client. Each case starts its own client process and fake service. */
export async function runClientCases(
  command: readonly string[],
  cases: readonly ClientCase[] = clientCases,
): Promise<CaseResult[]> {
  const results: CaseResult[] = []
  const waiting = cases.entries()
  const work = async () => {
    for (const [at, one] of waiting) results[at] = await runCase(one, command)
  }
  await Promise.all(Array.from({ length: atOnce }, work))
  return results
}

async function runCase({ title, run }: ClientCase, command: readonly string[]): Promise<CaseResult> {
  const startedAtMs = performance.now()
  const service = await FakeService.open()
  const client = new ClientProcess(command, { GATEHOUSE_URL: service.url, GATEHOUSE_RUNTIME_KEY: runtimeKey })
  let fault: string | undefined
  try {
    await run({ service, client })
  } catch (error) {
    if (!(error instanceof CaseFailure)) throw error
    fault = error.message
  } finally {
    await client.kill()
    await service.stop()
  }
  return { title, fault, output: client.output, ms: Math.round(performance.now() - startedAtMs) }
}
