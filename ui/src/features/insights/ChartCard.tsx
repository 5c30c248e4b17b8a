import { useId, useState, type ReactNode } from "react";
import { classNames } from "../../components";
import { useText } from "../../i18n";

/** The same as a chart shows, in words. */
export interface ChartTable {
  columns: string[];
  /** The first cell of a row names it. */
  rows: string[][];
}

interface ChartCardProps {
  title: string;
  /** What one has to know to read it. */
  note?: string | null;
  table: ChartTable;
  /** In place of a chart without anything in it. */
  nothing?: string | null;
  wide?: boolean;
  children: ReactNode;
}

/** A chart with its title; a table of the same is there for screen readers, and for everybody at the press of a button. */
export function ChartCard({ title, note, table, nothing, wide, children }: ChartCardProps) {
  const t = useText();
  const id = useId();
  const [asTable, setAsTable] = useState(false);
  return (
    <section aria-labelledby={id} className={classNames("min-w-0 rounded-xl border border-line bg-panel px-4 pt-3 pb-4", wide && "col-span-full")}>
      <div className="flex items-baseline gap-3">
        <h2 id={id} className="min-w-0 flex-1 font-semibold">
          {title}
        </h2>
        {!nothing && (
          <button type="button" aria-pressed={asTable} onClick={() => setAsTable(!asTable)} className="shrink-0 text-sm text-dim underline decoration-control/60 underline-offset-2 hover:text-text">
            {t("insights-as-table")}
          </button>
        )}
      </div>
      {note && <p className="mt-0.5 text-sm text-dim">{note}</p>}
      {nothing ? (
        <p className="py-6 text-center text-dim">{nothing}</p>
      ) : (
        <>
          {!asTable && (
            <div aria-hidden className="chart mt-3">
              {children}
            </div>
          )}
          <div className={asTable ? "mt-3 max-h-80 overflow-auto" : "sr-only"} {...(asTable && { tabIndex: 0, role: "region", "aria-labelledby": id })}>
            <Table {...table} labelledBy={id} />
          </div>
        </>
      )}
    </section>
  );
}

function Table({ columns, rows, labelledBy }: ChartTable & { labelledBy: string }) {
  return (
    <table aria-labelledby={labelledBy} className="w-full border-collapse">
      <thead>
        <tr>
          {columns.map((column, at) => (
            <th key={column} scope="col" className={classNames("border-b border-line py-1 pe-3 font-medium text-dim last:pe-0", at === 0 ? "text-start" : "text-end")}>
              {column}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map(([name, ...cells]) => (
          <tr key={name}>
            <th scope="row" className="py-1 pe-3 text-start font-normal break-words">
              {name}
            </th>
            {cells.map((cell, at) => (
              <td key={columns[at + 1]} className="py-1 pe-3 text-end tabular-nums last:pe-0">
                {cell}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
