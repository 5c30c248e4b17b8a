import { Skeleton, VisuallyHidden } from "../../components";
import { useText } from "../../i18n";

/** Rows that are being read, as high as they will be. */
export function ListSkeleton() {
  const t = useText();
  return (
    <div role="status" className="flex flex-col gap-px">
      <VisuallyHidden>{t("list-loading")}</VisuallyHidden>
      {["w-3/5", "w-2/5", "w-1/2", "w-2/3", "w-1/3"].map((width) => (
        <div key={width} className="grid h-13.5 grid-cols-[1rem_3rem_minmax(0,1fr)_fit-content(13rem)_3.5rem] items-center gap-x-2 px-2">
          <span />
          <Skeleton className="h-3 w-8" />
          <div className="flex flex-col gap-2">
            <Skeleton className={`h-3 ${width}`} />
            <Skeleton className="h-2.5 w-2/5" />
          </div>
          <Skeleton className="h-5 w-28" />
          <Skeleton className="ms-auto h-3 w-6" />
        </div>
      ))}
    </div>
  );
}
