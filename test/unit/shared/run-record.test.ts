import { expect, it } from 'vitest';
import { NOT_SCANNED } from '../../../shared/contracts/exit-scan.js';
import { NO_RECEIPT } from '../../../shared/contracts/receipt.js';
import { runRecordSchema } from '../../../shared/contracts/run.js';
import { runRecord } from '../../support/runs.js';

it('reads a run of the version that knew neither scan nor receipt', () => {
  const old = { ...runRecord(), exitScan: 'not_scanned', receipt: 'none' };
  expect(runRecordSchema.parse(old)).toMatchObject({ exitScan: NOT_SCANNED, receipt: NO_RECEIPT });
});

it('takes no other word for a scan or a receipt', () => {
  for (const wrong of [{ exitScan: 'clean' }, { receipt: 'signed' }, { exitScan: null }]) {
    expect(runRecordSchema.safeParse({ ...runRecord(), ...wrong }).success).toBe(false);
  }
});
