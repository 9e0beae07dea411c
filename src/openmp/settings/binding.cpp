#include "openmp/settings/binding.hpp"

namespace weir::openmp {

namespace {

struct placement {
  std::vector<place> places;
  bind how;
};

void warn_of_missing(const variables& in, const std::string& name, const place_list& list) {
  if (list.places.empty())
    in.warn(name + " names no processor that this program may use; it is ignored");
  else if (!list.missing.empty())
    in.warn(name + " names processors that this program may not use (" + ranges(list.missing) +
                "); they are left out");
}

std::optional<placement> usable(const variables& in, const std::string& name, std::optional<place_list> list) {
  if (!list) return std::nullopt;
  warn_of_missing(in, name, *list);
  if (list->places.empty()) return std::nullopt;
  return placement{std::move(list->places), bind::true_};
}

std::optional<placement> read_places(const variables& in, const machine_view& machine) {
  const auto parse = [&](std::string_view text) { return parse_places(text, machine); };
  return usable(in, "OMP_PLACES",
                in.read_host("OMP_PLACES", parse,
                             "threads, cores, ll_caches, numa_domains or sockets, with a count as in cores(4), "
                             "or a list of places such as {0,1},{2:4:2}"));
}

std::optional<placement> read_gomp_affinity(const variables& in, const machine_view& machine) {
  const auto parse = [&](std::string_view text) { return parse_processor_list(text, machine); };
  return usable(in, "GOMP_CPU_AFFINITY",
                in.read("GOMP_CPU_AFFINITY", parse, "processors and ranges of them such as 0 3 4-15:2"));
}

std::optional<placement> read_kmp_affinity(const variables& in, const machine_view& machine, settings& s) {
  static constexpr auto expected =
      "[modifier,...]type[,permute][,offset] such as granularity=fine,compact,1,0 or explicit,proclist=[0,2], "
      "the type being none, disabled, compact, scatter, balanced or explicit";
  const auto wanted = in.read("KMP_AFFINITY", parse_kmp_affinity, expected);
  if (!wanted) return std::nullopt;
  auto list = places_of(*wanted, machine);
  if (!list) {
    in.malformed("KMP_AFFINITY", *in.text("KMP_AFFINITY"), expected);
    return std::nullopt;
  }
  s.display_affinity = wanted->verbose;
  s.resets_affinity = wanted->resets;
  if (wanted->warnings)
    for (const auto& word : wanted->unsupported)
      in.warn("KMP_AFFINITY: " + word + " is not supported; it is ignored");
  if (wanted->type == kmp_affinity::arrangement::none) return std::nullopt;
  if (wanted->warnings) warn_of_missing(in, "KMP_AFFINITY", *list);
  if (list->places.empty()) return std::nullopt;
  const bool balanced = wanted->type == kmp_affinity::arrangement::balanced;
  return placement{std::move(list->places), balanced ? bind::spread : bind::close};
}

}  // namespace

void read_binding(const variables& in, const machine_view& machine, settings& s) {
  const auto how = in.read_host("OMP_PROC_BIND", parse_binds,
                                "true, false, or a list of primary, close and spread such as spread,close");
  const auto where = first_of(
      {read_places(in, machine), read_gomp_affinity(in, machine), read_kmp_affinity(in, machine, s)});
  if (how)
    s.proc_bind = *how;
  else if (where)
    s.proc_bind = {where->how};
  if (s.proc_bind.front() == bind::false_) return;
  s.places = where ? where->places : places_named("cores", locations_of(machine));
}

}  // namespace weir::openmp
